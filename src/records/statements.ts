import type { StatementParameter, Statement } from '../db/statement.ts';
import type { RecordShape } from '../http/endpoint.ts';
import type { Column } from './column.ts';
import { parseVersionTimes } from './version.ts';

type SqlPlaceholder = `$${number}`;
type RecordBody = Readonly<Record<string, unknown>>;
type IfMatchEtags = readonly string[] | null;

export type RecordStatements = ReturnType<typeof createRecordStatements>;

/**
 * In the SQL of a record's statements, `r` is the stored row and `n` is the request body as a row. If `tag` is given,
 * If-Match is compared with `tag` instead of the column `version`. `lockedByMove` is a column that names a record of the
 * same table, which a trigger locks when the status changes.
 */
export function createRecordStatements(
  table: string,
  columns: Readonly<Record<string, Column>>,
  version: string,
  tag: { readonly sql: string } | undefined,
  lockedByMove?: string,
) {
  const entries = Object.entries(columns);
  const hasStatus = entries.some(([, { states }]) => states !== undefined);
  const namesWith = (change: Column['change']): string[] =>
    entries.flatMap(([column, one]) => (one.change === change ? [column] : []));
  const derived = Object.entries(buildDerivedComparisons(columns));
  const insertions = entries.flatMap(([column, { inserted }]) => (inserted ? [[column, inserted(column)]] : []));
  const bodyAsRow = (body: SqlPlaceholder): string =>
    `jsonb_populate_record(null::public.${table}, ${body}::jsonb) as n`;
  const isTime = (column: string): boolean => columns[column]?.kind.type === 'timestamptz';
  // A time that is sent back as it was shown, in whole milliseconds, keeps its microseconds.
  const isOtherTime = (column: string): string =>
    `n.${column} is distinct from date_trunc('milliseconds', r.${column})`;
  const setClause = (body: SqlPlaceholder | 'l.value'): string =>
    joinLines(
      namesWith('set').map(
        (column) =>
          `${column} = case when ${body}::jsonb ? '${column}'${isTime(column) ? ` and ${isOtherTime(column)}` : ''} then n.${column} else r.${column} end`,
      ),
    );
  const isVersion = (versions: SqlPlaceholder): string =>
    tag === undefined
      ? `(${versions}::timestamptz[] is null or r.${version} = any (${versions}))`
      : `(${versions}::text[] is null or ${tag.sql} = any (${versions}))`;
  const versions = (ifMatch: IfMatchEtags): StatementParameter =>
    ifMatch === null || tag !== undefined ? ifMatch : parseVersionTimes(ifMatch);
  const selectList = joinLines(
    entries.map(([column, { sql, shown = sql }]) => (shown === undefined ? `r.${column}` : `${shown} as ${column}`)),
  );
  const inserted = joinLines(insertions.map(([column = '']) => column));
  const insertedValues = joinLines(insertions.map(([, value = '']) => value));
  const insertion = `
insert into public.${table} as r (${inserted})
select ${insertedValues}
from ${bodyAsRow('$1')}
returning ${selectList}`;
  const conditions = [
    'r.id = $1',
    ...namesWith('fixed').map((column) => `(not $2::jsonb ? '${column}' or r.${column} = n.${column})`),
    ...derived.map(([column, repeats]) => `(not $2::jsonb ? '${column}' or ${repeats('$2')})`),
    isVersion('$3'),
    ...(hasStatus ? [STATUS_CONDITION] : []),
  ];
  const update = `${hasStatus ? buildSeenStatusSql(table) : ''}
update public.${table} as r
set ${setClause('$2')}
from ${bodyAsRow('$2')}
where ${conditions.join('\n    and ')}
returning ${selectList}`;
  const deletion = `
delete from public.${table} as r
where r.id = $1 and ${isVersion('$2')}`;
  const parentLocks = (bodies: readonly RecordBody[]): Statement[] => buildParentLocks(columns, bodies);
  const moveLocks = (id: string, body: RecordBody): Statement[] =>
    lockedByMove === undefined || !('status' in body)
      ? []
      : [buildMoveLockStatement(table, lockedByMove, [], [{ ...body, id }])];

  return {
    selectList,
    inserted,
    insertedValues,
    bodyAsRow,
    setClause,
    isVersion,
    versions,
    /** Locks the parents of records, then the records themselves with those that their moves lock. */
    bulkLocks: (bodies: readonly RecordBody[]): readonly Statement[] => {
      const ids = bodies.map(({ id }) => String(id));
      return [
        ...parentLocks(bodies),
        lockedByMove === undefined
          ? buildRowLockStatement(table, ids, 'no key update')
          : buildMoveLockStatement(table, lockedByMove, ids, bodies),
      ];
    },
    bodiesAsRows: (bodies: SqlPlaceholder) => `jsonb_populate_recordset(null::public.${table}, ${bodies}::jsonb) as n`,
    insertion: (body: RecordBody): Statement => ({ text: insertion, values: [JSON.stringify(body)] }),
    change: (id: string, body: RecordBody, ifMatch: IfMatchEtags): readonly Statement[] => [
      ...parentLocks([body]),
      ...moveLocks(id, body),
      { text: update, values: [id, JSON.stringify(body), versions(ifMatch)] },
    ],
    deletion: (id: string, ifMatch: IfMatchEtags): Statement => ({ text: deletion, values: [id, versions(ifMatch)] }),
  };
}

/** Returns, for each derived column, SQL that is true if the body repeats the stored value or if both are null. */
export function buildDerivedComparisons(columns: Readonly<Record<string, Column>>): RecordShape['derived'] {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, { change, sql = `r.${column}` }]) =>
      change === 'derived'
        ? [[column, (body: string) => `coalesce(to_jsonb(${sql}), 'null') = ${body}::jsonb -> '${column}'`] as const]
        : [],
    ),
  );
}

/** A change locks parent rows before the record, as a deletion does, so that a change and a deletion cannot deadlock. */
function buildParentLocks(columns: Readonly<Record<string, Column>>, bodies: readonly RecordBody[]): Statement[] {
  return Object.entries(columns).flatMap(([column, { change, names }]) => {
    if (change !== 'set' || names === undefined || names.label.lookUp !== undefined) return [];
    const ids = bodies.map((body) => body[column]).filter((id) => typeof id === 'string');
    return ids.length === 0 ? [] : [buildRowLockStatement(names.label.table, ids, 'key share')];
  });
}

/** A request that finds another status than the CTE `seen`, changed meanwhile, changes no row: a conflict. */
function buildSeenStatusSql(table: string): string {
  return `
with seen as materialized (
    select s.status
    from public.${table} as s
    where s.id = $1
)`;
}

/** Locks rows in the order of their ids, so that two requests that lock the same rows cannot deadlock. */
export function buildRowLockStatement(table: string, ids: readonly string[], strength: string): Statement {
  return {
    text: `select from public.${table} as r where r.id = any ($1::uuid[]) order by r.id for ${strength}`,
    values: [ids],
  };
}

/**
 * Locks the records `ids`, and before them the records that the column `column` of the changed records names, now or
 * after the change: an invoice before its credit notes, each in the order of the ids.
 */
function buildMoveLockStatement(
  table: string,
  column: string,
  ids: readonly string[],
  bodies: readonly RecordBody[],
): Statement {
  const named = bodies.map((body) => body[column]).filter((id) => typeof id === 'string');
  return {
    text: `
select from public.${table} as r
where r.id = any ($1::uuid[] || array(select c.${column} from public.${table} as c where c.id = any ($2::uuid[])))
order by r.${column} is not null, r.id
for no key update`,
    values: [[...ids, ...named], bodies.map(({ id }) => String(id))],
  };
}

const STATUS_CONDITION = `(
        not $2::jsonb ? 'status'
        or r.status = (select seen.status from seen) and (r.status <> n.status or $2::jsonb - 'status' <> '{}')
    )`;

function joinLines(texts: readonly string[]): string {
  return texts.map((text) => `\n    ${text}`).join(',');
}
