import { z } from 'zod';
import * as database from './config/database.ts';
import * as documents from './config/documents.ts';
import * as management from './config/management.ts';
import { type Environment, parse, withoutEmpty } from './config/parse.ts';
import * as observability from './config/observability.ts';
import * as service from './config/service.ts';
import * as tokens from './config/tokens.ts';
import * as value from './config/values.ts';

export type { DatabaseConfig } from './config/database.ts';
export type { ClientCredentials, ManagementConfig } from './config/management.ts';
export { ConfigError } from './config/parse.ts';
export type { Environment } from './config/parse.ts';
export type { ProviderConfig } from './config/tokens.ts';

export interface Config extends service.ServiceConfig, observability.ObservabilityConfig {
  readonly documents: documents.DocumentsConfig;
  readonly database: database.DatabaseConfig;
  readonly identity: tokens.TokensConfig & { readonly management: management.ManagementConfig | undefined };
}

const variables = z.object({
  ...service.variables.shape,
  ...observability.variables.shape,
  ...database.variables.shape,
  ...tokens.variables.shape,
  ...management.variables.shape,
  ...documents.variables.shape,
});

export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const adminVariables = z.object({ DATABASE_ADMIN_URL: value.postgresUrl });

/** Reads the service's configuration; an empty variable counts as unset. @throws ConfigError */
export function loadConfig(environment: Environment): Config {
  const set = withoutEmpty(environment);
  const conflicts = [database, tokens, management, documents].flatMap((group) => [...group.conflicts(set)]);
  const values = parse(variables, set, conflicts);
  return {
    ...service.configFrom(values),
    ...observability.configFrom(values),
    documents: documents.configFrom(values, values.DATA_DIR),
    database: database.configFrom(values),
    identity: {
      ...tokens.configFrom(values),
      management: management.configFrom(values, values.AUTH_ISSUER),
    },
  };
}

/** Reads the variable of the `db:*` commands. @throws ConfigError */
export function loadAdminConfig(environment: Environment) {
  const values = parse(adminVariables, withoutEmpty(environment));
  return { databaseAdminUrl: values.DATABASE_ADMIN_URL };
}
