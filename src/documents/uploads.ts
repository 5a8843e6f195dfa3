import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../make-folder.ts';
import { isSystemError } from '../system-error.ts';
import { storeUnavailableError } from './content-store.ts';
import { UPLOAD_CHUNK_BYTES, ABANDONED_UPLOAD_AGE_MS } from '../limits.ts';

export interface UploadedFile {
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
}

export type Uploads = Awaited<ReturnType<typeof openUploads>>;

/** Opens the folder for uploads in progress; `put` of the document store moves a complete upload out of the folder. */
export async function openUploads(folder: string) {
  await makeFolder(folder, 0o700);
  const discard = async (file: string): Promise<void> => {
    await rm(file, { force: true }).catch(() => undefined);
  };

  return {
    /** @throws RequestError ERROR_UNAVAILABLE for a full or absent disk, and the stream's own error */
    async write(content: Readable): Promise<UploadedFile> {
      const file = join(folder, randomUUID());
      const stream = createWriteStream(file, {
        flags: 'wx',
        mode: 0o600,
        flush: true,
        highWaterMark: UPLOAD_CHUNK_BYTES,
      });
      const digest = createHash('sha256');
      try {
        content.on('data', (chunk: Buffer) => digest.update(chunk));
        await pipeline(content, stream);
      } catch (error) {
        await discard(file);
        throw isSystemError(error) ? storeUnavailableError(error) : error;
      }
      return { file, size: stream.bytesWritten, sha256: digest.digest('hex') };
    },
    discard: ({ file }: UploadedFile) => discard(file),
    async removeAbandoned(): Promise<void> {
      const before = Date.now() - ABANDONED_UPLOAD_AGE_MS;
      for (const name of await readdir(folder)) {
        const file = join(folder, name);
        const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
        if (mtimeMs < before) await discard(file);
      }
    },
  };
}
