import { readdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { FOREIGN_DATABASE_CHECK_MS } from '../limits.ts';
import { describePostgresAddress } from '../postgres-address.ts';
import { withTimeout } from '../timeout.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';
import { DatabaseUnavailable, RightMissing, sqlState } from './errors.ts';
import { sqlFolder } from './sql-folder.ts';

/** SQLSTATEs in an unmigrated database: invalid_schema_name, undefined_function, undefined_table, undefined_column. */
const NOT_MIGRATED_SQLSTATES = new Set(['3F000', '42883', '42P01', '42703']);

/** Postgres settings that must be on: if one is off, a crash of the server loses or corrupts committed data. */
const DURABILITY_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'];

let migrationNames: Promise<readonly string[]> | undefined;

function readMigrationNames(): Promise<readonly string[]> {
  migrationNames ??= readdir(sqlFolder('migrations')).then((files) =>
    files.filter((file) => file.endsWith('.sql')).map((file) => file.replace(/\.sql$/, '')),
  );
  return migrationNames;
}

/**
 * Refuses a database that answers and has no table of this service: another project may have set DATABASE_URL. A
 * database that does not answer in time is not refused, because it may only be away.
 * @throws Error in one line
 */
export async function refuseForeignDatabase(database: DatabaseLogin, url: string): Promise<void> {
  const tables = await withTimeout(
    FOREIGN_DATABASE_CHECK_MS,
    readAsLogin(database, `select c.oid from pg_class as c where c.relowner = to_regrole('taxclaims_owner') limit 1`),
    () => new DatabaseUnavailable('The database did not answer in time.'),
  ).catch(() => undefined);
  if (tables?.length !== 0) return;
  throw new Error(
    `DATABASE_URL names ${describePostgresAddress(url)}, which has no table of this service: unset DATABASE_URL for the ` +
      'demonstration, or run npm run db:migrate if this database is meant',
  );
}

export async function readObjections(database: DatabaseLogin): Promise<readonly string[]> {
  try {
    const rows = await readAsLogin(database, 'select app.objections($1)', await readMigrationNames());
    return rows.map(([objection]) => String(objection));
  } catch (error) {
    if (NOT_MIGRATED_SQLSTATES.has(sqlState(error) ?? ''))
      return ['the database is not migrated, or of an older release: run db:migrate'];
    if (error instanceof RightMissing)
      return ['the login in DATABASE_URL is no member of taxclaims_api, or does not inherit it'];
    throw error;
  }
}

export async function logDatabaseObjections(database: DatabaseLogin, log: Logger): Promise<void> {
  try {
    for (const objection of await readObjections(database)) {
      log.error({ objection }, 'the service must not use this database');
    }
    const rows = await readAsLogin(
      database,
      `select s.name from unnest($1::text[]) as s (name) where current_setting(s.name) = 'off'`,
      DURABILITY_SETTINGS,
    );
    for (const [setting] of rows) {
      log.error({ setting }, 'a crash of the database server can lose or corrupt committed writes');
    }
  } catch (error) {
    log.warn({ err: error }, 'the database could not be checked yet');
  }
}
