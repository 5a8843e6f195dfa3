import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

export interface DocumentsConfig {
  readonly store: value.DocumentStore;
  /** Of an S3 store that is not Amazon's. */
  readonly endpoint: string | undefined;
  /** Whether a download leads to the store itself, by an address that is good for a minute. */
  readonly presignedDownloads: boolean;
  readonly maxBytes: number;
}

export const variables = z.object({
  DOCUMENT_STORE: value.documentStore.optional(),
  DOCUMENT_STORE_ENDPOINT: value.httpUrl.optional(),
  DOCUMENT_PRESIGNED_DOWNLOADS: value.flag.default(false),
  DOCUMENT_MAX_BYTES: value.integer(1, 500_000_000).default(25 * 1024 * 1024),
});

export function configFrom(values: z.output<typeof variables>, dataDir: string) {
  return {
    store: values.DOCUMENT_STORE ?? { kind: 'folder', path: `${dataDir}/documents` },
    endpoint: values.DOCUMENT_STORE_ENDPOINT,
    presignedDownloads: values.DOCUMENT_PRESIGNED_DOWNLOADS,
    maxBytes: values.DOCUMENT_MAX_BYTES,
  };
}

export function* conflicts(set: Environment): Generator<string> {
  if (set['DOCUMENT_STORE_ENDPOINT'] && !set['DOCUMENT_STORE']?.startsWith('s3:'))
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_STORE_ENDPOINT is set';
  if (set['DOCUMENT_PRESIGNED_DOWNLOADS'] === 'true' && !set['DOCUMENT_STORE']?.startsWith('s3:'))
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_PRESIGNED_DOWNLOADS is true';
}
