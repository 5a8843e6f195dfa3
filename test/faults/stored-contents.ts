import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readSystemErrorCode } from '../../src/system-error.ts';

const BUCKET = 'documents';

/** The folder in which S3rver, the S3 server of the tests, stores the objects of a bucket. */
export const bucketIn = (folder: string): string => join(folder, BUCKET);
export const BUCKETS = [{ name: BUCKET }];

/** Environment variables with which the service stores its documents in the test’s S3 server. */
export function storeInS3(port: number, prefix: string): Record<string, string> {
  return {
    ...{ DOCUMENT_STORE: `s3://${BUCKET}${prefix}`, DOCUMENT_STORE_ENDPOINT: `http://127.0.0.1:${port}` },
    ...{ AWS_REGION: 'eu-west-3', AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
  };
}

/** A file in the document store, with its size in bytes and its SHA-256. */
export interface Content {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
}

/**
 * Tests compute the digest of a document only up to this size in bytes. Larger documents exist before the load test,
 * and no request changes them.
 */
const DIGESTED_BYTES = 4 * 1024 * 1024;

/** Returns the uploads that were not finished and still have a file in the folder of documents. */
export async function halfWrittenIn(folder: string): Promise<Content[]> {
  const names = await readdir(join(folder, '.partial')).catch(() => []);
  return names.map((name) => ({ path: `.partial/${name}`, size: 0, digest: '' }));
}

/**
 * Returns every finished content in a document store. Unfinished uploads are left out, and so are the two files that
 * S3rver adds to each object.
 */
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
