import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readSystemErrorCode } from '../../src/system-error.ts';

const BUCKET = 'documents';

/** Where S3rver keeps what is stored, below its own folder. */
export const bucketIn = (folder: string): string => join(folder, BUCKET);
export const BUCKETS = [{ name: BUCKET }];

/** The settings for a store in the world's own S3, below a prefix. */
export function storeInS3(port: number, prefix: string): Record<string, string> {
  return {
    ...{ DOCUMENT_STORE: `s3://${BUCKET}${prefix}`, DOCUMENT_STORE_ENDPOINT: `http://127.0.0.1:${port}` },
    ...{ AWS_REGION: 'eu-west-3', AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
  };
}

/** A file of the store, with the SHA-256 of its bytes. */
export interface Content {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
}

/** Larger files are the fixture's. */
const DIGESTED_BYTES = 4 * 1024 * 1024;

/** The uploads that a folder store has not moved to their places. */
export async function halfWrittenIn(folder: string): Promise<Content[]> {
  const names = await readdir(join(folder, '.partial')).catch(() => []);
  return names.map((name) => ({ path: `.partial/${name}`, size: 0, digest: '' }));
}

/** Every content of a store, without half-written ones, and without the two files that S3rver adds to each object. */
export async function filesBelow(folder: string): Promise<Content[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.partial/') && !/_S3rver_(?:metadata\.json|object\.md5)$/.test(path));
  const found = await Promise.all(
    files.map(async (file) => {
      const path = relative(folder, file).replace(/\._S3rver_object$/, '');
      const size = await stat(file).then((entry) => entry.size, unlessGone);
      if (size === undefined) return [];
      const bytes = size > DIGESTED_BYTES ? Buffer.alloc(0) : await readFile(file).catch(unlessGone);
      if (bytes === undefined) return [];
      return [{ path, size, digest: createHash('sha256').update(bytes).digest('hex') }];
    }),
  );
  return found.flat();
}

function unlessGone(error: unknown): undefined {
  if (readSystemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}
