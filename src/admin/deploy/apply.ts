import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { storeReleaseDigest, type ReleaseContents } from './deployed-release.ts';
import { readDrift, storeAppliedFacts, refuseDrift } from './drift.ts';
import { readLockTimeoutMs } from './locks.ts';
import { sqlFolder } from '../../db/sql-folder.ts';
import { AUDIT_LOG_FUNCTIONS, runSqlFiles, type SqlFiles } from './sql-files.ts';
import {
  dropViewsAndForeignRoutines,
  dropUndeclaredRoutines,
  type UndroppedObjects,
  readRoutineVersions,
} from './take-back.ts';

export async function applyRoles(client: pg.Client, files: SqlFiles): Promise<void> {
  await runInTransaction(client, () => runSqlFiles(client, files, ['house-roles.sql', 'roles.sql']));
}

export async function createMigrationLockTable(client: pg.Client, files: SqlFiles): Promise<void> {
  await runInTransaction(client, () => runSqlFiles(client, files, ['deploy-lock.sql']));
}

export async function maintainAuditLog(client: pg.Client, files: SqlFiles): Promise<void> {
  await runInTransaction(client, async () => {
    await setRole(client, 'taxclaims_housekeeper');
    await runSqlFiles(client, files, ['audit-log/5-tend.sql']);
  });
}

/** The tables of schema audit, which contain no tenant's data; each with the migration that creates it. */
const MIGRATIONS_BY_AUDIT_TABLE: Readonly<Record<string, string>> = {
  'audit.applied': '0009_audit_applied',
  'audit.acceptances': '0018_acceptances',
  'audit.archives': '0030_audit_log_3_by_month',
};

export async function makeAuditTables(client: pg.Client, log: Logger): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    'select a.name as table from unnest($1::text[]) as a (name) where to_regclass(a.name) is null',
    [Object.keys(MIGRATIONS_BY_AUDIT_TABLE)],
  );
  if (rows.length === 0) return;
  await client.query('create schema if not exists audit');
  for (const { table } of rows) {
    const migrationSql = await readFile(sqlFolder(`migrations/${MIGRATIONS_BY_AUDIT_TABLE[table] ?? ''}.sql`), 'utf8');
    const auditTableStatements = migrationSql
      .split(/;\n/)
      .filter((one) => new RegExp(`\\b(?:table|on) ${table}\\b`).test(one));
    await client.query(auditTableStatements.join(';\n'));
  }
  const createdTableNames = rows.map(({ table }) => table).join(', ');
  log.warn(
    `created again, without rows: ${createdTableNames}. Restore the rows from a backup, or accept the findings again`,
  );
}

/**
 * Makes every request wait while one transaction runs migrations, undoes manual changes and applies policies and grants
 * again. The order of the SQL files matters: triggers and policies need their functions, and views need their tables.
 */
export async function applyPolicies(
  client: pg.Client,
  release: ReleaseContents,
  strict: boolean,
  migrate: () => Promise<void>,
): Promise<void> {
  let undroppedObjects: UndroppedObjects = new Map();
  const runSqlFilesAs = async (role: DeployRole, ...paths: string[]): Promise<void> => {
    await setRole(client, role);
    await runSqlFiles(client, release.files, paths, undroppedObjects);
  };
  const runQuery = (text: string): Promise<unknown> => client.query(text);
  await runInTransaction(client, async () => {
    await runSqlFilesAs('taxclaims_owner');
    await lockTables(client);
    // Postgres cannot alter a table while a deferred constraint check of the table is pending.
    await runQuery('set constraints all immediate');
    await migrate();
    await runQuery(
      `grant usage, create on schema app to taxclaims_definer;
       grant usage on schema app, audit_log to taxclaims_housekeeper`,
    );
    await runSqlFilesAs('taxclaims_definer', 'reset.sql');
    await runSqlFilesAs('taxclaims_housekeeper', 'reset.sql');
    await runSqlFilesAs('taxclaims_owner', 'reset.sql');
    await runSqlFilesAs('administrator', 'house-roles.sql', 'nesting.sql', 'take-back.sql');
    undroppedObjects = await dropViewsAndForeignRoutines(client);
    const routineVersions = await readRoutineVersions(client);
    await runSqlFilesAs('taxclaims_owner', 'functions');
    await runQuery('grant create on schema app to taxclaims_definer');
    await runSqlFilesAs('taxclaims_definer', 'functions/definer');
    await runSqlFilesAs('taxclaims_owner');
    await runQuery('revoke create on schema app from taxclaims_definer');
    await runSqlFilesAs('taxclaims_owner', 'triggers', 'audit-log/1-rights.sql');
    await runQuery('grant create on schema app to taxclaims_housekeeper');
    await runSqlFilesAs('administrator', 'audit-log/2-hand-over.sql');
    await runSqlFilesAs('taxclaims_housekeeper', ...AUDIT_LOG_FUNCTIONS);
    await runSqlFilesAs('taxclaims_owner');
    await runQuery('revoke create on schema app from taxclaims_housekeeper');
    await runSqlFilesAs('taxclaims_owner', 'policies');
    await runSqlFilesAs('taxclaims_housekeeper', 'audit-log/5-tend.sql');
    await runSqlFilesAs('taxclaims_owner', 'reporting', 'policies/derived');
    await runSqlFilesAs('taxclaims_owner', 'audit/facts', 'audit/findings', 'audit/as_caller/attempt.sql');
    await runSqlFilesAs('administrator', 'audit/as_caller/hand_over.sql');
    await runSqlFilesAs('taxclaims_owner', 'audit', 'audit/accepting', 'comments/tables', 'comments');
    await runSqlFilesAs('administrator');
    await dropUndeclaredRoutines(client, routineVersions);
    await runSqlFilesAs('taxclaims_owner', 'guards-as-deployed.sql');
    await storeAppliedFacts(client, release.declared);
    await storeReleaseDigest(client, release);
    if (strict) refuseDrift(await readDrift(client));
  });
}

/**
 * Locks every table and view that requests and reporting read, before the deploy changes anything. The wait for all
 * table locks has one short time-out. A deploy that holds all locks waits for no request and cannot deadlock with one.
 */
async function lockTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ relation: string }>(
    `select format('%I.%I', n.nspname, c.relname) as relation
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relowner = current_user::regrole and (n.nspname, c.relname) <> ('app', 'deploy_lock')
         and (c.relkind in ('r', 'p') or (c.relkind = 'v' and n.nspname in ('app', 'reporting')))
     order by c.relkind, c.oid`,
  );
  const lockDeadlineMs = performance.now() + (await readLockTimeoutMs(client));
  for (const { relation } of rows) {
    const remainingMs = Math.max(Math.floor(lockDeadlineMs - performance.now()), 1);
    await client.query(
      `set local lock_timeout = ${String(remainingMs)}; lock table ${relation} in access exclusive mode`,
    );
  }
  await client.query(`set local lock_timeout = ${String(await readLockTimeoutMs(client))}`);
}

type DeployRole = 'administrator' | 'taxclaims_owner' | 'taxclaims_definer' | 'taxclaims_housekeeper';

async function setRole(client: pg.Client, role: DeployRole): Promise<void> {
  await client.query(role === 'administrator' ? 'reset role' : `set local role ${role}`);
}

async function runInTransaction(client: pg.Client, callback: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    // `create policy` takes an access exclusive lock on the table. While the deploy waits for a table lock every
    // request waits too, so the deploy gives up soon and tries again.
    await client.query(`set local lock_timeout = ${String(await readLockTimeoutMs(client))}`);
    await callback();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
