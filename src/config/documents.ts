import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

export type DocumentsConfig = ReturnType<typeof configFrom>;

export const variables = z.object({
  DOCUMENT_STORE: value.documentStore.optional(),
  DOCUMENT_STORE_ENDPOINT: value.httpUrl.optional(),
  DOCUMENT_PRESIGNED_DOWNLOADS: value.flag.default(false),
  DOCUMENT_MAX_BYTES: value.integer(1, 500_000_000).default(25 * 1024 * 1024),
});

export function configFrom(values: z.output<typeof variables>, dataDir: string) {
  const folder: value.DocumentStore = { kind: 'folder', path: `${dataDir}/documents` };
  return {
    store: values.DOCUMENT_STORE ?? folder,
    /** Of an S3 store that is not Amazon's. */
    endpoint: values.DOCUMENT_STORE_ENDPOINT,
    presignedDownloads: values.DOCUMENT_PRESIGNED_DOWNLOADS,
    maxBytes: values.DOCUMENT_MAX_BYTES,
  };
}

export function* conflicts(set: Environment): Generator<string> {
  if (set['DOCUMENT_STORE']?.startsWith('s3:')) return;
  if (set['DOCUMENT_STORE_ENDPOINT'])
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_STORE_ENDPOINT is set';
  if (set['DOCUMENT_PRESIGNED_DOWNLOADS'] === 'true')
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_PRESIGNED_DOWNLOADS is true';
}
