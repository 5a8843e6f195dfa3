import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Logger } from 'pino';
import { MigrationError, reasonOf } from './migration-error.ts';

/** A row of `audit.drift_before_acceptance`. */
export interface Drift {
  readonly kind: string;
  readonly object: string;
  readonly change: string;
  readonly applied: string | null;
  readonly present: string | null;
  readonly accepted: boolean;
  /** Of columns, whether it is a table's: a view's goes with the view. */
  readonly of_table: boolean;
}

/** The kinds that a deploy makes anew or takes back, as a rule: whether it could is known at its end. */
const TAKEN_BACK = new Set([
  ...['policy', 'grant', 'default privileges', 'membership', 'role', 'setting', 'schema'],
  ...['function', 'function body', 'view', 'view body', 'trigger', 'rule'],
]);
/** How many are named in a message. */
const NAMED = 20;

/** What drifts, that too which is accepted. */
const DRIFT = `
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
      and a.as_it_stood = d.change || coalesce(': ' || d.present, '')
  order by d.kind, d.object`;

/** What drifts, whether it was accepted or not. */
export async function readDrift(client: pg.Client): Promise<readonly Drift[]> {
  return (await client.query<Drift>(DRIFT)).rows;
}

/** What drifted before a deploy; nothing where the release before had no acceptances, or its audit is broken. */
export async function readDriftBefore(client: pg.Client, log: Logger): Promise<readonly Drift[]> {
  const { rows } = await client.query(
    `select from pg_class where oid = to_regclass('audit.drift_before_acceptance')`,
  );
  if (rows.length === 0) return [];
  try {
    return await readDrift(client);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    log.warn(`what drifted before this deploy cannot be told: ${reasonOf(error)}`);
    return [];
  }
}

/**
 * Writes down what holds from now on, for audit.drift. What had drifted before and is as it was then is not blessed:
 * of that, what was applied before stays.
 */
export async function recordApplied(client: pg.Client, before: readonly Drift[]): Promise<void> {
  await client.query(
    `with present as materialized (
         select kind, object, definition from audit.state()
     ), standing as (
         select b.kind, b.object, b.applied
         from json_to_recordset($1) as b (kind text, object text, applied text, present text)
         left join present as p on p.kind = b.kind and p.object = b.object
         where p.definition is not distinct from b.present
     ), wanted as (
         select p.kind, p.object, p.definition
         from present as p
         where not exists (select from standing as s where s.kind = p.kind and s.object = p.object)
         union all
         select s.kind, s.object, s.applied from standing as s where s.applied is not null
     ), gone as (
         delete from audit.applied as a
         where not exists (select from wanted as w where w.kind = a.kind and w.object = a.object)
     )
     insert into audit.applied as a (kind, object, definition)
     select kind, object, definition from wanted
     on conflict (kind, object) do update set definition = excluded.definition
     where a.definition <> excluded.definition`,
    [JSON.stringify(before)],
  );
}

/** @throws MigrationError where something stands that no deploy takes back, and nobody accepted it. */
export function refuseWhatStays(before: readonly Drift[]): void {
  refuse(before.filter((drift) => !isTakenBack(drift)));
}

/** @throws MigrationError naming what drifts and was not accepted. */
export function refuse(drift: readonly Drift[]): void {
  const standing = drift.filter(({ accepted }) => !accepted).map(describe);
  if (standing.length === 0) return;
  const further = standing.length > NAMED ? [`and ${String(standing.length - NAMED)} more`] : [];
  throw new MigrationError(
    `what drifted is not taken back by a deploy: ${[...standing.slice(0, NAMED), ...further].join('; ')}. ` +
      'Undo it, or accept what is meant with audit.accept; without --strict the deploy goes on',
  );
}

/** One line for each thing that was taken back, and for each that still drifts. */
export function tellDrift(log: Logger, before: readonly Drift[], after: readonly Drift[]): void {
  const key = ({ kind, object, change, present }: Drift): string =>
    JSON.stringify([kind, object, change, present]);
  const standing = new Set(after.map(key));
  for (const drift of before.filter((each) => !standing.has(key(each)))) {
    log.warn(`taken back${drift.accepted ? ' although it was accepted' : ''}: ${describe(drift)}`);
  }
  for (const drift of after.filter(({ accepted }) => !accepted)) log.warn(`still drift: ${describe(drift)}`);
}

function isTakenBack({ kind, change, of_table: ofTable }: Drift): boolean {
  // Of a table that is there it may be the row-level security.
  if (kind === 'table') return change === 'changed';
  return TAKEN_BACK.has(kind) || (kind === 'column' && !ofTable);
}

function describe({ kind, object, change }: Drift): string {
  return `${change} ${kind} ${object}`;
}
