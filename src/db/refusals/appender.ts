import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, syncFolder } from '../../make-folder.ts';
import { SPOOL_FILE_BYTES } from '../../limits.ts';

export interface SealedFile {
  readonly path: string;
  readonly size: number;
}

export type Appender = ReturnType<typeof createAppender>;

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Adds lines to files, one file after the other. */
export function createAppender(options: {
  readonly nextPath: () => string;
  /** Called with every file that has become full or could not be written on. */
  readonly onSealed: (file: SealedFile) => void;
}) {
  let waiting: Waiting[] = [];
  let present: { readonly path: string; readonly file: FileHandle; size: number } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other, so that no line is added to a file that is being ended. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function begin(): Promise<NonNullable<typeof present>> {
    const path = options.nextPath();
    // Somebody may have removed the folder.
    await makeFolder(dirname(path), 0o700);
    present = { path, file: await open(path, 'ax', 0o600), size: 0 };
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
      // A file that somebody has removed goes on taking lines, which nobody will ever read.
      if ((await target.file.stat()).nlink === 0) throw new Error(`${target.path} was removed`);
      target.size += bytes.length;
      for (const { resolve } of group) resolve();
      if (target.size >= SPOOL_FILE_BYTES) await endPresent();
    } catch (error) {
      for (const { reject } of group) reject(error);
      await endPresent();
    }
  }

  /** After a failure nobody knows what stands behind the lines that were synced: it is cut off, if it can be. */
  async function endPresent(): Promise<void> {
    const sealed = await takePresent();
    if (sealed !== undefined) options.onSealed(sealed);
  }

  async function takePresent(): Promise<SealedFile | undefined> {
    if (present === undefined) return undefined;
    const { path, file, size } = present;
    present = undefined;
    await file.truncate(size).catch(() => undefined);
    await file.close().catch(() => undefined);
    return { path, size };
  }

  return {
    /** Resolves once the line is on the disk; many that wait are synced together. Rejects where it surely is not whole. */
    append(line: string): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      waiting.push({
        line,
        reject,
        resolve: () => {
          resolve(undefined);
        },
      });
      if (waiting.length === 1) void inTurn(writeWaiting);
      return promise;
    },
    /** Ends the present file, so that it can be read and removed; undefined where there is none. */
    seal: () => inTurn(takePresent),
    get path(): string | undefined {
      return present?.path;
    },
  };
}
