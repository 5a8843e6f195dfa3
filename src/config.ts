import { z } from 'zod';
import * as identity from './config/identity.ts';
import * as mails from './config/mails.ts';
import { type Environment, parseVariables, omitEmptyVariables } from './config/parse.ts';
import * as service from './config/service.ts';
import * as storage from './config/storage.ts';
import * as value from './config/values.ts';

export type { ClientCredentials, ManagementConfig, ProviderConfig } from './config/identity.ts';
export { ConfigError, type Environment } from './config/parse.ts';

export type Config = ReturnType<typeof loadConfig>;

export const variablesSchema = z.object({
  ...service.variablesSchema.shape,
  ...storage.variablesSchema.shape,
  ...identity.variablesSchema.shape,
  ...mails.variablesSchema.shape,
});

export const ENVIRONMENT_VARIABLE_NAMES: readonly string[] = Object.keys(variablesSchema.shape);

const adminVariablesSchema = z.object({ DATABASE_ADMIN_URL: value.postgresUrl });
const archiveVariablesSchema = adminVariablesSchema.extend({ AUDIT_RETENTION_MONTHS: value.retentionMonths });

/** Reads the service's configuration; an empty variable counts as unset. @throws ConfigError */
export function loadConfig(environment: Environment) {
  const set = omitEmptyVariables(environment);
  const values = parseVariables(variablesSchema, set, [
    ...storage.findConflicts(set),
    ...identity.findConflicts(set),
    ...mails.findConflicts(set),
  ]);
  return {
    ...service.buildConfig(values),
    ...storage.buildConfig(values, values.DATA_DIR),
    identity: identity.buildConfig(values),
    mails: mails.buildConfig(values),
  };
}

/** Reads DATABASE_ADMIN_URL for the `db:*` commands. @throws ConfigError */
export function loadAdminConfig(environment: Environment) {
  const values = parseVariables(adminVariablesSchema, omitEmptyVariables(environment));
  return { databaseAdminUrl: values.DATABASE_ADMIN_URL };
}

/** Reads the environment variables of the command `audit:archive`. @throws ConfigError */
export function loadArchiveConfig(environment: Environment) {
  const values = parseVariables(archiveVariablesSchema, omitEmptyVariables(environment));
  return { databaseAdminUrl: values.DATABASE_ADMIN_URL, retentionMonths: values.AUDIT_RETENTION_MONTHS };
}
