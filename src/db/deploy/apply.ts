import { readFile, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { readDrift, recordApplied, refuse } from './drift.ts';
import { refusedAt } from './refused.ts';
import { sqlFolder } from '../sql-folder.ts';
import { noteRelease, type Release } from './standing.ts';
import { dropBeforeFiles, dropUnmade, type Kept, readVersions } from './take-back.ts';

/** The SQL that a deploy applies, by its place below `db/`: read before anything is held. */
export type SqlFiles = ReadonlyMap<string, string>;

/** The folders whose files are applied with the rights, one after the other by name. */
const FOLDERS = [
  ...['functions', 'functions/definer', 'triggers', 'policies', 'reporting', 'policies/derived'],
  ...['audit/facts', 'audit/findings', 'audit', 'audit/accepting'],
  ...['comments/tables', 'comments'],
] as const;
const FILES = [
  ...['house-roles.sql', 'roles.sql', 'nesting.sql', 'deploy-lock.sql'],
  ...['reset.sql', 'take-back.sql', 'guards-as-deployed.sql'],
  ...['audit/as_caller/attempt.sql', 'audit/as_caller/hand_over.sql'],
  ...['1-rights', '2-hand-over', '3-functions', '3-losses', '4-close', '5-tend'].map(
    (part) => `audit-log/${part}.sql`,
  ),
];

export async function readSqlFiles(): Promise<SqlFiles> {
  const names = await Promise.all(FOLDERS.map(filesIn));
  return new Map(
    await Promise.all(
      [...names.flat(), ...FILES].map(async (file): Promise<[string, string]> => [file, await read(file)]),
    ),
  );
}

/** Makes the roles and the rights on the database itself, as the administrator. */
export async function applyRoles(client: pg.Client, files: SqlFiles): Promise<void> {
  await inTransaction(client, async () => {
    for (const file of ['house-roles.sql', 'roles.sql']) await run(client, files, file);
  });
}

/** Makes what a deploy holds while it works, where it is not there yet. */
export async function makeMigrationLock(client: pg.Client, files: SqlFiles): Promise<void> {
  await inTransaction(client, () => run(client, files, 'deploy-lock.sql'));
}

/** The tables of schema audit, with the migration that makes each: they hold decisions, and no row of a tenant. */
const AUDIT_TABLES: Readonly<Record<string, string>> = {
  'audit.applied': '0009_audit_applied',
  'audit.acceptances': '0018_acceptances',
  'audit.archives': '0030_audit_log_3_by_month',
};

/** Makes those of them that were dropped by hand, as the owner, by the statements of their migrations that name them. */
export async function makeAuditTables(client: pg.Client, log: Logger): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    'select a.name as table from unnest($1::text[]) as a (name) where to_regclass(a.name) is null',
    [Object.keys(AUDIT_TABLES)],
  );
  if (rows.length === 0) return;
  await client.query('create schema if not exists audit');
  for (const { table } of rows) {
    const text = await read(`migrations/${AUDIT_TABLES[table] ?? ''}.sql`);
    const statements = text.split(/;\n/).filter((one) => new RegExp(`\\b(?:table|on) ${table}\\b`).test(one));
    await client.query(statements.join(';\n'));
  }
  const made = rows.map(({ table }) => table).join(', ');
  log.warn(`made anew, and empty: ${made}. Restore their rows from a backup, or accept again what is meant`);
}

/**
 * How long a deploy waits for others while they wait for it, in milliseconds: half of what a request waits before it
 * looks for a deadlock, so that the deploy has always given way by then and no request is ever the victim.
 */
export async function shortPatience(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    `select floor(extract(epoch from current_setting('deadlock_timeout')::interval) * 500)::integer as ms`,
  );
  return Math.max(rows[0]?.ms ?? 0, 1);
}

/** Makes the months of the audit log that are missing, so that a database that nobody has served yet has them. */
export async function tendAuditLog(client: pg.Client, files: SqlFiles): Promise<void> {
  await inTransaction(client, async () => {
    await become(client, 'taxclaims_housekeeper');
    await run(client, files, 'audit-log/5-tend.sql');
  });
}

/**
 * Migrates, takes back what was changed by hand and re-applies all that says who may do what, in one transaction: whoever
 * looks sees the old tables with the old rules or the new with the new. The order matters: triggers need their functions,
 * policies need theirs, views what they show. Every request waits meanwhile, so that nothing is in it that could come before or after.
 * With `strict` nothing is done where something drifts all the same.
 */
export async function applyPolicies(
  client: pg.Client,
  release: Release,
  strict: boolean,
  migrate: () => Promise<void>,
): Promise<void> {
  const { files } = release;
  const one = (file: string): Promise<void> => run(client, files, file);
  const all = (folder: string, kept?: Kept): Promise<void> => runAll(client, files, folder, kept);
  await inTransaction(client, async () => {
    await become(client, 'taxclaims_owner');
    await holdTables(client);
    // No table is changed that a constraint has yet to look at.
    await client.query('set constraints all immediate');
    await migrate();
    await client.query(
      `grant usage, create on schema app to taxclaims_definer;
       grant usage on schema app, audit_log to taxclaims_housekeeper`,
    );
    await become(client, 'taxclaims_definer');
    await one('reset.sql');
    await become(client, 'taxclaims_housekeeper');
    await one('reset.sql');
    await become(client, 'taxclaims_owner');
    await one('reset.sql');
    await client.query('reset role');
    await one('house-roles.sql');
    await one('nesting.sql');
    await one('take-back.sql');
    const kept = await dropBeforeFiles(client);
    const versions = await readVersions(client);
    await become(client, 'taxclaims_owner');
    await all('functions');
    await client.query('grant create on schema app to taxclaims_definer');
    await become(client, 'taxclaims_definer');
    await all('functions/definer');
    await become(client, 'taxclaims_owner');
    await client.query('revoke create on schema app from taxclaims_definer');
    await all('triggers');
    await layOutAuditLog(client, files);
    await all('policies');
    await become(client, 'taxclaims_housekeeper');
    await one('audit-log/5-tend.sql');
    await become(client, 'taxclaims_owner');
    await all('reporting', kept);
    await all('policies/derived');
    await all('audit/facts');
    await all('audit/findings');
    await one('audit/as_caller/attempt.sql');
    await client.query('reset role');
    await one('audit/as_caller/hand_over.sql');
    await become(client, 'taxclaims_owner');
    await all('audit');
    await all('audit/accepting');
    await all('comments/tables');
    await all('comments');
    await client.query('reset role');
    await dropUnmade(client, versions);
    await become(client, 'taxclaims_owner');
    await one('guards-as-deployed.sql');
    await recordApplied(client, release.declared);
    await noteRelease(client, release);
    if (strict) refuse(await readDrift(client));
  });
}

/**
 * Takes every table and every view that requests and the reporting surface read before anything is changed, in the time of one short
 * patience for all of them: whatever comes after waits for no request, and so can meet none in a deadlock. But for the
 * deploy's own lock, which nothing changes.
 */
async function holdTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ relation: string }>(
    `select format('%I.%I', n.nspname, c.relname) as relation
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relowner = current_user::regrole and (n.nspname, c.relname) <> ('app', 'deploy_lock')
         and (c.relkind in ('r', 'p') or (c.relkind = 'v' and n.nspname in ('app', 'reporting')))
     order by c.relkind, c.oid`,
  );
  const end = performance.now() + (await shortPatience(client));
  for (const { relation } of rows) {
    const left = Math.max(Math.floor(end - performance.now()), 1);
    await client.query(
      `set local lock_timeout = ${String(left)}; lock table ${relation} in access exclusive mode`,
    );
  }
  await client.query(`set local lock_timeout = ${String(await shortPatience(client))}`);
}

/** Closes the months of the audit log, makes those that are missing, and gives them to the role that keeps them. */
async function layOutAuditLog(client: pg.Client, files: SqlFiles): Promise<void> {
  await run(client, files, 'audit-log/1-rights.sql');
  await client.query('grant create on schema app to taxclaims_housekeeper');
  await client.query('reset role');
  await run(client, files, 'audit-log/2-hand-over.sql');
  await become(client, 'taxclaims_housekeeper');
  await run(client, files, 'audit-log/3-functions.sql');
  await run(client, files, 'audit-log/3-losses.sql');
  await run(client, files, 'audit-log/4-close.sql');
  await become(client, 'taxclaims_owner');
  await client.query('revoke create on schema app from taxclaims_housekeeper');
}

type BackRole = 'taxclaims_owner' | 'taxclaims_definer' | 'taxclaims_housekeeper';

async function become(client: pg.Client, role: BackRole): Promise<void> {
  await client.query(`set local role ${role}`);
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    // Policies take the strongest lock there is: better to give way and try again than to hold up every request.
    await client.query(`set local lock_timeout = ${String(await shortPatience(client))}`);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function runAll(client: pg.Client, files: SqlFiles, folder: string, kept?: Kept): Promise<void> {
  for (const file of files.keys()) if (posix.dirname(file) === folder) await run(client, files, file, kept);
}

async function run(client: pg.Client, files: SqlFiles, file: string, kept?: Kept): Promise<void> {
  const text = files.get(file);
  if (text === undefined) throw new Error(`db/${file} was not read`);
  try {
    await client.query(text);
  } catch (error) {
    throw refusedAt(file, text, error, kept);
  }
}

/** In their order. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(sqlFolder(folder))).filter((entry) => entry.endsWith('.sql')).sort();
  return entries.map((entry) => posix.join(folder, entry));
}

function read(file: string): Promise<string> {
  return readFile(sqlFolder(file), 'utf8');
}
