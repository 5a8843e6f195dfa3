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

/** Appends lines to a file until it is full or fails, then to the next file; `onSealed` gets each finished file. */
export function createAppender(nextPath: () => Promise<string>, onSealed: (file: SpoolFile) => void) {
  let waiting: (Omit<PromiseWithResolvers<undefined>, 'promise'> & { readonly line: string })[] = [];
  let present: (SpoolFile & { readonly file: FileHandle }) | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function begin(): Promise<NonNullable<typeof present>> {
    const path = await nextPath();
    const file = await open(path, 'ax', 0o600);
    present = { path, file, size: 0, records: 0, sinceMs: Date.now() };
    await syncFolder(dirname(path));
    return present;
  }

  async function writeWaiting(): Promise<void> {
    const group = waiting;
    waiting = [];
    try {
      const target = present ?? (await begin());
      const bytes = Buffer.from(group.map(({ line }) => line).join(''));
      await target.file.appendFile(bytes);
      await target.file.datasync();
      // A deleted file still takes lines, but nobody can read them.
      if ((await target.file.stat()).nlink === 0) throw new Error(`${target.path} was removed`);
      target.size += bytes.length;
      target.records += group.length;
      for (const { resolve } of group) resolve(undefined);
      if (target.size >= SPOOL_FILE_BYTES) await endPresent();
    } catch (error) {
      for (const { reject } of group) reject(error);
      await endPresent();
    }
  }

  async function endPresent(): Promise<void> {
    const sealed = await takePresent();
    if (sealed !== undefined) onSealed(sealed);
  }

  async function takePresent(): Promise<SpoolFile | undefined> {
    if (present === undefined) return undefined;
    const { file, ...sealed } = present;
    present = undefined;
    // After a failure the end of the file is unknown.
    await file.truncate(sealed.size).catch(() => undefined);
    await file.close().catch(() => undefined);
    return sealed;
  }

  return {
    /** Resolves once the line is on the disk; waiting lines are synced together. */
    append(line: string): Promise<void> {
      const written = { line, ...Promise.withResolvers<undefined>() };
      waiting.push(written);
      if (waiting.length === 1) void oneAfterAnother(writeWaiting);
      return written.promise;
    },
    seal: () => oneAfterAnother(takePresent),
    get present(): SpoolFile | undefined {
      return present;
    },
  };
}
