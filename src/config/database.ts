import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

export type DatabaseConfig = ReturnType<typeof configFrom>;

export const variables = z.object({
  DATABASE_URL: value.postgresUrl.optional(),
  DATABASE_POOL_SIZE: value.integer(1, 1_000).default(10),
  DATABASE_STATEMENT_TIMEOUT_MS: value.integer(1, 600_000).default(5_000),
  DATABASE_PREPARED_STATEMENTS: value.flag.default(true),
});

export function configFrom(values: z.output<typeof variables>) {
  return {
    /** The API's own login; undefined: the embedded Postgres. */
    url: values.DATABASE_URL,
    poolSize: values.DATABASE_POOL_SIZE,
    statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
    /** False behind a pooler by transaction that cannot keep prepared statements. */
    preparedStatements: values.DATABASE_PREPARED_STATEMENTS,
  };
}

export function* conflicts(set: Environment): Generator<string> {
  const { NODE_ENV, DATABASE_URL } = set;
  if (NODE_ENV === 'production' && !DATABASE_URL)
    yield 'DATABASE_URL must be set: NODE_ENV=production allows no embedded Postgres';
}
