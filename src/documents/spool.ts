import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../make-folder.ts';
import { isOfTheSystem } from '../system-error.ts';
import { outOfReach } from './content-store.ts';
import { hashed } from './digest.ts';
import { UPLOAD_ABANDONED_MS } from '../limits.ts';

export interface SpooledFile {
  readonly file: string;
  readonly size: number;
  /** Of the bytes as they came, in hex. */
  readonly sha256: string;
}

/** Where contents are written until it is known that they are whole and may be kept. */
export type Spool = Awaited<ReturnType<typeof openSpool>>;

export async function openSpool(folder: string) {
  await makeFolder(folder, 0o700);

  const discard = async (file: string): Promise<void> => {
    await rm(file, { force: true }).catch(() => undefined);
  };

  return {
    /**
     * Writes a stream aside, as it comes.
     * @throws RequestError ERROR_UNAVAILABLE for a disk that is full or away, and whatever the stream fails with;
     * nothing is left then
     */
    async write(content: Readable): Promise<SpooledFile> {
      const file = join(folder, randomUUID());
      const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
      const hash = createHash('sha256');
      try {
        await pipeline(content, (chunks: AsyncIterable<Buffer>) => hashed(chunks, hash), target);
      } catch (error) {
        await discard(file);
        throw isOfTheSystem(error) ? outOfReach(error) : error;
      }
      return { file, size: target.bytesWritten, sha256: hash.digest('hex') };
    },
    /** Removes one that is not kept. Never rejects: what cannot be removed now, `removeAbandoned` will. */
    discard: ({ file }: SpooledFile) => discard(file),
    /** Removes what a crash has left. */
    async removeAbandoned(): Promise<void> {
      const oldest = Date.now() - UPLOAD_ABANDONED_MS;
      for (const name of await readdir(folder)) {
        const file = join(folder, name);
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
        if (mtimeMs < oldest) await discard(file);
      }
    },
  };
}
