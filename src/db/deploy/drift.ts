import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Logger } from 'pino';
import type { Fact } from '../audit/declared.ts';
import { MigrationError, reasonOf } from './migration-error.ts';

/** A row of `audit.drift_before_acceptance`. */
export interface Drift {
  readonly kind: string;
  readonly object: string;
  readonly change: string;
  readonly applied: string | null;
  readonly present: string | null;
  readonly accepted: boolean;
  /** Whether a column is a table's: a view's goes with the view. */
  readonly of_table: boolean;
}

/** The kinds that a deploy makes anew or takes back, as a rule. */
const TAKEN_BACK = new Set([
  ...['policy', 'grant', 'default privileges', 'membership', 'role', 'setting', 'schema'],
  ...['function', 'function body', 'view', 'view body', 'trigger', 'rule'],
]);
/** How many drifts a message names. */
const NAMED = 20;

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
      and a.as_it_stood = d.as_it_stands
  order by d.kind, d.object`;

/** Accepted drift is part of it. */
export async function readDrift(client: pg.Client): Promise<readonly Drift[]> {
  return (await client.query<Drift>(DRIFT)).rows;
}

/** Nothing where the release before had no acceptances, or its audit is broken. */
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

/** Notes the declared facts for audit.drift; the first deploy adds the surroundings that it finds. */
export async function recordApplied(client: pg.Client, declared: readonly Fact[]): Promise<void> {
  await client.query(
    `delete from audit.applied as a
     where not exists (select from audit.kinds_of_state() as k where k.kind = a.kind and k.is_surrounding)`,
  );
  await client.query(
    `insert into audit.applied (kind, object, definition)
     select s.kind, s.object, s.definition
     from audit.state() as s
     join audit.kinds_of_state() as k on k.kind = s.kind and k.is_surrounding
     where not exists (select from audit.applied)`,
  );
  await client.query(
    `insert into audit.applied (kind, object, definition)
     select f.kind, f.object, f.definition
     from jsonb_to_recordset($1) as f (kind text, object text, definition text)`,
    [JSON.stringify(declared)],
  );
}

/** @throws MigrationError where something stands that no deploy takes back, and nobody accepted it. */
export function refuseWhatStays(before: readonly Drift[]): void {
  refuse(before.filter((drift) => !isTakenBack(drift)));
}

/**
 * No deploy makes a table anew, as its rows would be gone without a word, but for those of schema audit.
 * @throws MigrationError naming each that is declared and was there at the last deploy, and the way on.
 */
export async function refuseWhatIsGone(
  client: pg.Client,
  before: readonly Drift[],
  declared: readonly Fact[],
): Promise<void> {
  const meant = new Set(declared.filter(({ kind }) => kind === 'table').map(({ object }) => object));
  const removed = before
    .filter(({ kind, object, change }) => kind === 'table' && change === 'removed' && meant.has(object))
    .flatMap(({ object }) => /^(?!audit\.)\w+\.\w+$/.exec(object) ?? []);
  const { rows } = await client.query<{ table: string }>(
    'select r.name as table from unnest($1::text[]) as r (name) where to_regclass(r.name) is null',
    [removed],
  );
  if (rows.length === 0) return;
  const gone = rows.map(({ table }) => table);
  throw new MigrationError(
    `${gone.join(', ')}: gone since the last deploy, and no deploy makes a table anew. Restore from a backup ` +
      `(${gone.map((table) => `pg_restore --schema=${table.replace('.', ' --table=')}`).join('; ')}), and run it again`,
  );
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
  // Its row-level security may have changed.
  if (kind === 'table') return change === 'changed';
  return TAKEN_BACK.has(kind) || (kind === 'column' && !ofTable);
}

function describe({ kind, object, change }: Drift): string {
  return `${change} ${kind} ${object}`;
}
