import { readdir, stat } from 'node:fs/promises';
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

/** What is written aside is no content yet, what goes meanwhile is none any more; S3rver keeps two files more beside each. */
export async function filesBelow(folder: string): Promise<{ path: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.partial/') && !/_S3rver_(?:metadata\.json|object\.md5)$/.test(path));
  const found = await Promise.all(
    files.map(async (file) => {
      const path = relative(folder, file).replace(/\._S3rver_object$/, '');
      const size = await stat(file).then((entry) => entry.size, unlessGone);
      return size === undefined ? [] : [{ path, size }];
    }),
  );
  return found.flat();
}

function unlessGone(error: unknown): undefined {
  if (readSystemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}
