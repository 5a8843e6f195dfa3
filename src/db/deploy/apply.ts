import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Fact } from '../audit/declared.ts';
import { MigrationError, reasonOf } from './migration-error.ts';
import { sqlFolder } from '../sql-folder.ts';

/**
 * What audit.drift holds the database against from now on: what the repository declares, and not what is there. Of the
 * surroundings, which it cannot know, the first deploy takes what it finds.
 */
const RECORD_APPLIED = [
  `delete from audit.applied as a
   where not exists (select from audit.state_kinds as k where k.kind = a.kind and k.is_surrounding)`,
  `insert into audit.applied (kind, object, definition)
   select s.kind, s.object, s.definition
   from audit.state() as s
   join audit.state_kinds as k on k.kind = s.kind and k.is_surrounding
   where not exists (select from audit.applied)`,
  `insert into audit.applied (kind, object, definition)
   select f.kind, f.object, f.definition
   from jsonb_to_recordset($1) as f (kind text, object text, definition text)`,
] as const;

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
 * Re-applies all that says who may do what, in one transaction: whoever looks sees the old rules or the new.
 * The order matters: triggers need their functions, policies need theirs, views what they show.
 */
export async function applyPolicies(client: pg.Client, declared: readonly Fact[]): Promise<void> {
  await inTransaction(client, async () => {
    await become(client, 'taxclaims_owner');
    await holdTables(client);
    await run(client, 'reset.sql');
    await runAll(client, 'functions');
    await client.query('grant create on schema app to taxclaims_definer');
    await become(client, 'taxclaims_definer');
    await run(client, 'reset.sql');
    await runAll(client, 'functions/definer');
    await become(client, 'taxclaims_owner');
    await client.query('revoke create on schema app from taxclaims_definer');
    await runAll(client, 'triggers');
    await runAll(client, 'policies');
    await runAll(client, 'reporting');
    await runAll(client, 'comments/tables');
    await runAll(client, 'comments');
    await runAll(client, 'audit/facts');
    await runAll(client, 'audit/findings');
    await run(client, 'audit/as_caller/attempt.sql');
    await client.query('reset role');
    await run(client, 'audit/as_caller/hand_over.sql');
    await become(client, 'taxclaims_owner');
    await runAll(client, 'audit');
    const [forget, takeSurroundings, load] = RECORD_APPLIED;
    await client.query(forget);
    await client.query(takeSurroundings);
    await client.query(load, [JSON.stringify(declared)]);
  });
}

/**
 * Takes every table and every view of the reporting surface before anything is changed, in the time of one short
 * patience for all of them: whatever comes after waits for no request, and so can meet none in a deadlock. But for the
 * deploy's own lock, which nothing changes.
 */
async function holdTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ relation: string }>(
    `select format('%I.%I', n.nspname, c.relname) as relation
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relowner = current_user::regrole and (n.nspname, c.relname) <> ('app', 'deploy_lock')
         and (c.relkind in ('r', 'p') or (c.relkind = 'v' and n.nspname = 'reporting'))
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

async function become(client: pg.Client, role: 'taxclaims_owner' | 'taxclaims_definer'): Promise<void> {
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

async function runAll(client: pg.Client, kind: string): Promise<void> {
  const entries = await readdir(sqlFolder(kind));
  for (const file of entries.filter((entry) => entry.endsWith('.sql')).sort()) {
    await run(client, join(kind, file));
  }
}

async function run(client: pg.Client, file: string): Promise<void> {
  const text = await readFile(sqlFolder(file), 'utf8');
  try {
    await client.query(text);
  } catch (error) {
    throw refusedAt(file, text, error);
  }
}

/** What Postgres said of a file, with the line that it said it of. */
export function refusedAt(file: string, text: string, error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const line = text.slice(0, Number(error.position ?? 0)).split('\n').length;
  return new MigrationError(`db/${file}, line ${line}: ${reasonOf(error)}`, { cause: error });
}
