import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Fact } from '../audit/declared.ts';
import { type Drift, readDrift, recordApplied, refuse } from './drift.ts';
import { refusedAt } from './refused.ts';
import { sqlFolder } from '../sql-folder.ts';
import { dropBeforeFiles, dropUnmade, type Kept, readVersions } from './take-back.ts';

/** Makes the roles and the rights on the database itself, as the administrator. */
export async function applyRoles(client: pg.Client): Promise<void> {
  await inTransaction(client, () => run(client, 'roles.sql'));
}

/** Makes what a deploy holds while it works, where it is not there yet. */
export async function makeMigrationLock(client: pg.Client): Promise<void> {
  await inTransaction(client, () => run(client, 'deploy-lock.sql'));
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

/**
 * Takes back what was changed by hand and re-applies all that says who may do what, in one transaction: whoever looks
 * sees the old rules or the new. The order matters: triggers need their functions, policies need theirs, views what
 * they show. Gives back what drifts all the same; where that is `strict`, nothing is done.
 */
export async function applyPolicies(
  client: pg.Client,
  { declared, strict }: { readonly declared: readonly Fact[]; readonly strict: boolean },
): Promise<readonly Drift[]> {
  let after: readonly Drift[] = [];
  const work = async (): Promise<void> => {
    await become(client, 'taxclaims_owner');
    await holdTables(client);
    await client.query(
      `grant usage, create on schema app to taxclaims_definer;
       grant usage on schema app, audit_log to taxclaims_housekeeper`,
    );
    await become(client, 'taxclaims_definer');
    await run(client, 'reset.sql');
    await become(client, 'taxclaims_housekeeper');
    await run(client, 'reset.sql');
    await become(client, 'taxclaims_owner');
    await run(client, 'reset.sql');
    await client.query('reset role');
    await run(client, 'take-back.sql');
    const kept = await dropBeforeFiles(client);
    const versions = await readVersions(client);
    await become(client, 'taxclaims_owner');
    await runAll(client, 'functions');
    await client.query('grant create on schema app to taxclaims_definer');
    await become(client, 'taxclaims_definer');
    await runAll(client, 'functions/definer');
    await become(client, 'taxclaims_owner');
    await client.query('revoke create on schema app from taxclaims_definer');
    await runAll(client, 'triggers');
    await layOutAuditLog(client);
    await runAll(client, 'policies');
    await become(client, 'taxclaims_housekeeper');
    await run(client, 'audit-log/5-tend.sql');
    await become(client, 'taxclaims_owner');
    await runAll(client, 'reporting', kept);
    await runAll(client, 'comments/tables');
    await runAll(client, 'comments');
    await runAll(client, 'audit/facts');
    await runAll(client, 'audit/findings');
    await run(client, 'audit/as_caller/attempt.sql');
    await client.query('reset role');
    await run(client, 'audit/as_caller/hand_over.sql');
    await become(client, 'taxclaims_owner');
    await runAll(client, 'audit');
    await runAll(client, 'audit/accepting');
    await client.query('reset role');
    await dropUnmade(client, versions);
    await become(client, 'taxclaims_owner');
    await run(client, 'guards-as-deployed.sql');
    await recordApplied(client, declared);
    after = await readDrift(client);
    if (strict) refuse(after);
  };
  await inTransaction(client, work);
  return after;
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
async function layOutAuditLog(client: pg.Client): Promise<void> {
  await run(client, 'audit-log/1-rights.sql');
  await client.query('grant create on schema app to taxclaims_housekeeper');
  await client.query('reset role');
  await run(client, 'audit-log/2-hand-over.sql');
  await become(client, 'taxclaims_housekeeper');
  await run(client, 'audit-log/3-functions.sql');
  await run(client, 'audit-log/4-close.sql');
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

async function runAll(client: pg.Client, kind: string, kept?: Kept): Promise<void> {
  const entries = await readdir(sqlFolder(kind));
  for (const file of entries.filter((entry) => entry.endsWith('.sql')).sort()) {
    await run(client, join(kind, file), kept);
  }
}

async function run(client: pg.Client, file: string, kept?: Kept): Promise<void> {
  const text = await readFile(sqlFolder(file), 'utf8');
  try {
    await client.query(text);
  } catch (error) {
    throw refusedAt(file, text, error, kept);
  }
}
