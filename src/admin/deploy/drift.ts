import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Logger } from 'pino';
import type { DatabaseFact } from '../audit/declared.ts';
import { showRevokesAsRights, type Drift } from '../audit/drift.ts';
import { oneLineReason } from '../../single-line.ts';
import { MigrationError } from './migration-error.ts';

interface DriftWithAcceptance extends Drift {
  readonly accepted: boolean;
  /** True if the object is a part of a table, such as a column; false for a column of a view. */
  readonly of_table: boolean;
}

const RESTORED_KINDS = new Set([
  ...['policy', 'grant', 'default privileges', 'membership', 'role', 'setting', 'schema'],
  ...['function', 'function body', 'view', 'view body', 'materialized view', 'trigger', 'rule'],
]);
const MAX_LISTED_DRIFT = 20;

const DRIFT_QUERY = `
  select d.kind, d.object, d.change, d.applied, d.present, a.what is not null as accepted, exists (
      select from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'f') and starts_with(d.object, format('%I.%I.', n.nspname, c.relname))
  ) as of_table
  from audit.drift_before_acceptance as d
  left join audit.acceptances as a
      on a.withdrawn_at is null
      and a.what = d.kind
      and a.object = d.object
      and a.as_it_stood = d.as_it_stands
  order by d.kind, d.object`;

export async function readDrift(client: pg.Client): Promise<readonly DriftWithAcceptance[]> {
  return (await client.query<DriftWithAcceptance>(DRIFT_QUERY)).rows;
}

/** Reads the database's differences from the deployed release; undefined if audit views are missing or fail. */
export async function readDriftBeforeDeploy(
  client: pg.Client,
  log: Logger,
): Promise<readonly DriftWithAcceptance[] | undefined> {
  const { rows } = await client.query(`select from pg_class where oid = to_regclass('audit.drift_before_acceptance')`);
  if (rows.length === 0) return undefined;
  try {
    return await readDrift(client);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    log.warn(`the drift before this deploy could not be read: ${oneLineReason(error)}`);
    return undefined;
  }
}

/**
 * Stores the declared facts for audit.drift. The first deploy also stores facts of the server, such as settings, and on
 * a bought Postgres what the provider made before. A later deploy stores a fact of the server again if its object did
 * not differ before the deploy, because a release may describe the same object in other words than the one before.
 */
export async function storeAppliedFacts(
  client: pg.Client,
  declared: readonly DatabaseFact[],
  before: readonly Drift[] | undefined,
): Promise<void> {
  if (before !== undefined)
    await client.query(
      `update audit.applied as a
       set definition = s.definition
       from audit.state() as s
       join audit.kinds_of_state() as k on k.kind = s.kind and k.is_surrounding
       where a.kind = s.kind and a.object = s.object and a.definition <> s.definition
           and (s.kind, s.object) not in (
               select d.kind, d.object from jsonb_to_recordset($1) as d (kind text, object text)
           )`,
      [JSON.stringify(before.map(({ kind, object }) => ({ kind, object })))],
    );
  await client.query(
    `delete from audit.applied as a
     where not exists (select from audit.kinds_of_state() as k where k.kind = a.kind and k.is_surrounding)`,
  );
  await client.query(
    `insert into audit.applied (kind, object, definition)
     select s.kind, s.object, s.definition
     from audit.state() as s
     join audit.kinds_of_state() as k on k.kind = s.kind and k.is_surrounding
     where not exists (select from audit.applied)
     union all
     select s.kind, s.object, s.definition
     from audit.surroundings as s
     where not exists (select from audit.applied) and exists (select from audit.menders())
     union all
     select 'earlier ' || s.kind, s.object, s.definition
     from audit.state() as s
     where s.kind in ('default privileges', 'publication', 'published table', 'published schema')
         and not exists (select from audit.applied)
         and exists (select from audit.menders())
         and (s.kind, s.object) not in (
             select f.kind, f.object from jsonb_to_recordset($1) as f (kind text, object text)
         )`,
    [JSON.stringify(declared)],
  );
  await client.query(
    `insert into audit.applied (kind, object, definition)
     select f.kind, f.object, f.definition
     from jsonb_to_recordset($1) as f (kind text, object text, definition text)`,
    [JSON.stringify(declared)],
  );
}

/** False in the database of an earlier release, whose audit reports as drift what a later one leaves to the provider. */
export async function knowsHomes(client: pg.Client): Promise<boolean> {
  return (await client.query(`select where to_regprocedure('audit.accept_home(text)') is not null`)).rowCount === 1;
}

export function refuseRemainingDrift(before: readonly DriftWithAcceptance[]): void {
  refuseDrift(before.filter((drift) => !isUndoneByDeploy(drift)));
}

/** @throws MigrationError for dropped tables: with empty new ones nobody would notice the lost rows */
export async function refuseDroppedTables(client: pg.Client, declared: readonly DatabaseFact[]): Promise<void> {
  const { rows } = await client.query<{ schema: string; name: string; schemaless: boolean }>(
    `select parts[1] as schema, parts[2] as name, to_regnamespace(parts[1]) is null as schemaless
     from unnest($1::text[]) as declared (name)
     join regexp_match(declared.name, '^(\\w+)[.](\\w+)$') as parts on parts is not null
     where to_regclass(format('%I.%I', parts[1], parts[2])) is null`,
    [declared.filter(({ kind }) => kind === 'table').map(({ object }) => object)],
  );
  if (rows.length === 0) return;
  const restoring = rows.map(({ schema, name, schemaless }) =>
    schemaless
      ? `create schema ${schema} authorization taxclaims_owner, then pg_restore --schema=${schema}`
      : `pg_restore --schema=${schema} --table=${name}`,
  );
  throw new MigrationError(
    `${rows.map(({ schema, name }) => `${schema}.${name}`).join(', ')}: dropped since the last deploy, and a deploy does not create a dropped table. ` +
      `Restore from a backup (${[...new Set(restoring)].join('; ')}), and run the command again`,
  );
}

export function refuseDrift(drift: readonly DriftWithAcceptance[]): void {
  const texts = drift.filter(({ accepted }) => !accepted).map(driftText);
  if (texts.length === 0) return;
  const more = texts.length - MAX_LISTED_DRIFT;
  const listed = [...texts.slice(0, MAX_LISTED_DRIFT), ...(more > 0 ? [`and ${String(more)} more`] : [])];
  throw new MigrationError(
    `a deploy does not undo this drift: ${listed.join('; ')}. ` +
      'Undo the drift, or accept it with audit.accept; without --strict the deploy goes on',
  );
}

/** Logs what a deploy changed of the drift before it, and the drift that is left. */
export async function logDrift(
  client: pg.Client,
  log: Logger,
  before: readonly DriftWithAcceptance[],
  after: readonly DriftWithAcceptance[],
): Promise<void> {
  const { rows } = await client.query<{ object: string }>('select object from audit.rights_left_open()');
  const leftOpen = new Set(rows.map(({ object }) => object));
  const key = ({ kind, object, change, present }: Drift): string => JSON.stringify([kind, object, change, present]);
  const remaining = new Set(after.map(key));
  for (const drift of before.filter((each) => !remaining.has(key(each)))) {
    // A difference that no deploy undoes lasts until a migration removes the object, or a release declares it or leaves
    // it to the provider of a bought Postgres.
    const end = isUndoneByDeploy(drift) && !leftOpen.has(drift.object) ? 'undone' : 'no longer drift';
    log.warn(`${end}${drift.accepted ? ' although it was accepted' : ''}: ${driftText(drift)}`);
  }
  for (const drift of after.filter(({ accepted }) => !accepted)) log.warn(`still drift: ${driftText(drift)}`);
}

function isUndoneByDeploy({ kind, change, of_table: ofTable }: DriftWithAcceptance): boolean {
  // A deploy restores a table's row-level security, but neither recreates a dropped table nor drops an added one.
  if (kind === 'table') return change === 'changed';
  return RESTORED_KINDS.has(kind) || (kind === 'column' && !ofTable);
}

function driftText(drift: Drift): string {
  const { kind, object, change } = showRevokesAsRights(drift);
  return `${change} ${kind} ${object}`;
}
