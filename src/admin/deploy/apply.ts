import type pg from 'pg';
import { storeReleaseDigest, type ReleaseContents } from './deployed-release.ts';
import type { Drift } from '../audit/drift.ts';
import { readDrift, storeAppliedFacts, refuseDrift } from './drift.ts';
import { readLockTimeoutMs } from './locks.ts';
import { runSqlFiles, type SqlFiles } from './sql-files.ts';
import {
  dropViewsAndForeignRoutines,
  dropUndeclaredRoutines,
  type UndroppedObjects,
  readRoutineVersions,
} from './take-back.ts';

const AUDIT_LOG_FUNCTIONS = ['3-functions', '3-losses', '3-retention', '4-close'].map(
  (part) => `audit-log/${part}.sql`,
);

/** What a deploy does with drift that it cannot take back. */
export interface Acceptance {
  readonly strict: boolean;
  /** The reason for which the deploy accepts what only the provider of a bought Postgres can change. */
  readonly acceptedHome: string | undefined;
}

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

/**
 * Makes every request wait while one transaction runs migrations, undoes manual changes and applies policies and grants
 * again. The order of the SQL files matters: triggers and policies need their functions, and views need their tables.
 */
export async function applyPolicies(
  client: pg.Client,
  release: ReleaseContents,
  { strict, acceptedHome, before }: Acceptance & { readonly before: readonly Drift[] | undefined },
  migrate: () => Promise<void>,
): Promise<void> {
  let undropped: UndroppedObjects = new Map();
  const runAs = async (role: DeployRole, ...paths: string[]): Promise<void> => {
    await setRole(client, role);
    await runSqlFiles(client, release.files, paths, undropped);
  };
  const queryAs = async (role: DeployRole, text: string): Promise<void> => {
    await setRole(client, role);
    await client.query(text);
  };
  await runInTransaction(client, async () => {
    await setRole(client, 'taxclaims_owner');
    await lockTables(client);
    // Postgres cannot alter a table while a deferred constraint check of the table is pending.
    await client.query('set constraints all immediate');
    await migrate();
    await queryAs(
      'taxclaims_owner',
      `grant usage, create on schema app to taxclaims_definer;
       grant usage on schema app, audit_log to taxclaims_housekeeper`,
    );
    await runAs('taxclaims_definer', 'reset.sql');
    await runAs('taxclaims_housekeeper', 'reset.sql');
    await runAs('taxclaims_owner', 'reset.sql');
    await runAs('administrator', 'house-roles.sql', 'nesting.sql', 'take-back.sql');
    undropped = await dropViewsAndForeignRoutines(client);
    const versions = await readRoutineVersions(client);
    await runAs('taxclaims_owner', 'functions');
    await queryAs('taxclaims_owner', 'grant create on schema app to taxclaims_definer');
    await runAs('taxclaims_definer', 'functions/definer');
    await queryAs('taxclaims_owner', 'revoke create on schema app from taxclaims_definer');
    await runAs('taxclaims_owner', 'triggers', 'audit-log/1-rights.sql');
    await queryAs('taxclaims_owner', 'grant create on schema app to taxclaims_housekeeper');
    await runAs('administrator', 'audit-log/2-hand-over.sql');
    await runAs('taxclaims_housekeeper', ...AUDIT_LOG_FUNCTIONS);
    await queryAs('taxclaims_owner', 'revoke create on schema app from taxclaims_housekeeper');
    await runAs('taxclaims_owner', 'policies');
    await runAs('taxclaims_housekeeper', 'audit-log/5-tend.sql');
    await runAs('taxclaims_owner', 'reporting', 'policies/derived');
    await runAs('taxclaims_owner', 'audit/facts', 'audit/findings', 'audit/as_caller/attempt.sql');
    await runAs('administrator', 'audit/as_caller/hand_over.sql');
    await runAs('taxclaims_owner', 'audit', 'audit/accepting', 'comments/tables', 'comments');
    await setRole(client, 'administrator');
    await dropUndeclaredRoutines(client, versions);
    await runAs('taxclaims_owner', 'guards-as-deployed.sql');
    await storeAppliedFacts(client, release.declared, before);
    await storeReleaseDigest(client, release);
    if (acceptedHome !== undefined) await acceptHome(client, acceptedHome);
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
  const deadline = performance.now() + (await readLockTimeoutMs(client));
  for (const { relation } of rows) {
    const leftMs = Math.max(Math.floor(deadline - performance.now()), 1);
    await client.query(`set local lock_timeout = ${String(leftMs)}; lock table ${relation} in access exclusive mode`);
  }
  await client.query(`set local lock_timeout = ${String(await readLockTimeoutMs(client))}`);
}

async function acceptHome(client: pg.Client, reason: string): Promise<void> {
  await setRole(client, 'taxclaims_owner');
  await client.query('select from audit.accept_home($1)', [reason]);
}

export async function acceptHomeWithoutDeploy(client: pg.Client, reason: string): Promise<void> {
  await runInTransaction(client, () => acceptHome(client, reason));
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
