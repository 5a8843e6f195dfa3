import { z } from 'zod';
import type { Environment } from './parse.ts';
import { hasPassword, readPostgresAddress } from '../postgres-address.ts';
import * as value from './values.ts';

export const variablesSchema = z.object({
  DATABASE_URL: value.postgresUrl.optional(),
  DATABASE_PASSWORD_FILE: value.text.optional(),
  DATABASE_POOL_SIZE: value.integer(1, 1_000).default(10),
  DATABASE_STATEMENT_TIMEOUT_MS: value.integer(1, 600_000).default(5_000),
  DATABASE_PREPARED_STATEMENTS: value.flag.default(true),
  DOCUMENT_STORE: value.documentStore.optional(),
  DOCUMENT_STORE_ENDPOINT: value.httpUrl.optional(),
  DOCUMENT_PRESIGNED_DOWNLOADS: value.flag.default(false),
  DOCUMENT_MAX_BYTES: value.integer(1, 500_000_000).default(25 * 1024 * 1024),
});

export function buildConfig(values: z.output<typeof variablesSchema>, dataDir: string) {
  return {
    database: {
      /** The URL of the API's database login; undefined for the embedded Postgres. */
      url: values.DATABASE_URL,
      passwordFile: values.DATABASE_PASSWORD_FILE,
      poolSize: values.DATABASE_POOL_SIZE,
      statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
      preparedStatements: values.DATABASE_PREPARED_STATEMENTS,
    },
    documents: {
      store: values.DOCUMENT_STORE ?? ({ kind: 'folder', path: `${dataDir}/documents` } as const),
      endpoint: values.DOCUMENT_STORE_ENDPOINT,
      presignedDownloads: values.DOCUMENT_PRESIGNED_DOWNLOADS,
      maxBytes: values.DOCUMENT_MAX_BYTES,
    },
  };
}

export function* findConflicts(set: Environment): Generator<string> {
  if (set['NODE_ENV'] === 'production' && !set['DATABASE_URL'])
    yield 'DATABASE_URL must be set: NODE_ENV=production allows no embedded Postgres';
  const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: passwordFile } = set;
  if (passwordFile && !url) yield 'DATABASE_URL must be set where DATABASE_PASSWORD_FILE is';
  const address = readPostgresAddress(url ?? '');
  if (passwordFile && typeof address !== 'string' && hasPassword(address))
    yield 'DATABASE_URL must have no password where DATABASE_PASSWORD_FILE is set';
  if (set['DOCUMENT_STORE']?.startsWith('s3:')) return;
  if (set['DOCUMENT_STORE_ENDPOINT'])
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_STORE_ENDPOINT is set';
  if (set['DOCUMENT_PRESIGNED_DOWNLOADS'] === 'true')
    yield 'DOCUMENT_STORE must be s3://bucket/prefix where DOCUMENT_PRESIGNED_DOWNLOADS is true';
}
