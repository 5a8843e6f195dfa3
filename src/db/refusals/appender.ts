import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SPOOL_FILE_BYTES } from '../../limits.ts';
import { syncFolder } from '../../make-folder.ts';

export interface SpoolFile {
  readonly path: string;
  size: number;
  records: number;
  readonly sinceMs: number;
}

/** Appends lines to a file until it is full or a write fails, then to a new one; `onSealed` gets each finished file. */
export function createAppender(nextPath: () => Promise<string>, onSealed: (file: SpoolFile) => void) {
  let waiting: (Omit<PromiseWithResolvers<undefined>, 'promise'> & { readonly line: string })[] = [];
  let current: (SpoolFile & { readonly file: FileHandle }) | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function inSequence<T>(operation: () => Promise<T>): Promise<T> {
    const result = last.then(operation);
    last = result.catch(() => undefined);
    return result;
  }

  async function openNext(): Promise<NonNullable<typeof current>> {
    const path = await nextPath();
    const file = await open(path, 'ax', 0o600);
    current = { path, file, size: 0, records: 0, sinceMs: Date.now() };
    await syncFolder(dirname(path));
    return current;
  }

  async function writeWaiting(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const target = current ?? (await openNext());
      const bytes = Buffer.from(batch.map(({ line }) => line).join(''));
      await target.file.appendFile(bytes);
      await target.file.datasync();
      // Checks that nobody has deleted the file: a deleted file still accepts lines, but they would be lost.
      if ((await target.file.stat()).nlink === 0) throw new Error(`${target.path} was removed`);
      target.size += bytes.length;
      target.records += batch.length;
      for (const { resolve } of batch) resolve(undefined);
      if (target.size >= SPOOL_FILE_BYTES) await sealCurrent();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      await sealCurrent();
    }
  }

  async function sealCurrent(): Promise<void> {
    const sealed = await detach();
    if (sealed !== undefined) onSealed(sealed);
  }

  async function detach(): Promise<SpoolFile | undefined> {
    if (current === undefined) return undefined;
    const { file, ...sealed } = current;
    current = undefined;
    // Cuts the file to its complete lines, because a failed write may have added a part of a line.
    await file.truncate(sealed.size).catch(() => undefined);
    await file.close().catch(() => undefined);
    return sealed;
  }

  return {
    /** Resolves once the line is on the disk; lines that wait at the same time are synced together. */
    append(line: string): Promise<void> {
      const waitingLine = { line, ...Promise.withResolvers<undefined>() };
      waiting.push(waitingLine);
      if (waiting.length === 1) void inSequence(writeWaiting);
      return waitingLine.promise;
    },
    seal: () => inSequence(detach),
    get current(): SpoolFile | undefined {
      return current;
    },
  };
}
