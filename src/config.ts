import { z } from 'zod';
import * as database from './config/database.ts';
import type { DatabaseConfig } from './config/database.ts';
import * as documents from './config/documents.ts';
import type { DocumentsConfig } from './config/documents.ts';
import * as management from './config/management.ts';
import type { ManagementConfig } from './config/management.ts';
import { parse, withoutEmpty } from './config/parse.ts';
import type { Environment } from './config/parse.ts';
import * as seen from './config/seen.ts';
import type { SeenConfig } from './config/seen.ts';
import * as service from './config/service.ts';
import type { ServiceConfig } from './config/service.ts';
import * as tokens from './config/tokens.ts';
import type { TokensConfig } from './config/tokens.ts';
import * as value from './config/values.ts';

export type { DatabaseConfig } from './config/database.ts';
export type { ClientCredentials, ManagementConfig } from './config/management.ts';
export { ConfigError } from './config/parse.ts';
export type { Environment } from './config/parse.ts';
export type { ProviderConfig } from './config/tokens.ts';

/* Each group of variables is a file below config/: what they are, what becomes of them, and what is wrong between them. */

export interface Config extends ServiceConfig, SeenConfig {
  readonly documents: DocumentsConfig;
  readonly database: DatabaseConfig;
  readonly identity: IdentityConfig;
}

export interface IdentityConfig extends TokensConfig {
  readonly management: ManagementConfig | undefined;
}

const variables = z.object({
  ...service.variables.shape,
  ...seen.variables.shape,
  ...database.variables.shape,
  ...tokens.variables.shape,
  ...management.variables.shape,
  ...documents.variables.shape,
});

/** Every variable that the service reads, beside NODE_ENV. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const adminVariables = z.object({ DATABASE_ADMIN_URL: value.postgresUrl });

/**
 * Reads the service's configuration; an empty variable counts as unset.
 * @throws ConfigError
 */
export function loadConfig(environment: Environment): Config {
  const set = withoutEmpty(environment);
  const values = parse(variables, set, allConflicts(set));
  return {
    ...service.configFrom(values),
    ...seen.configFrom(values),
    documents: documents.configFrom(values, values.DATA_DIR),
    database: database.configFrom(values),
    identity: {
      ...tokens.configFrom(values),
      management: management.configFrom(values, values.AUTH_ISSUER),
    },
  };
}

export interface AdminConfig {
  readonly databaseAdminUrl: string;
}

/**
 * Reads what the `db:*` commands need, and nothing else.
 * @throws ConfigError
 */
export function loadAdminConfig(environment: Environment): AdminConfig {
  const values = parse(adminVariables, withoutEmpty(environment));
  return { databaseAdminUrl: values.DATABASE_ADMIN_URL };
}

function* allConflicts(set: Environment): Generator<string> {
  yield* database.conflicts(set);
  yield* tokens.conflicts(set);
  yield* management.conflicts(set);
  yield* documents.conflicts(set);
}
