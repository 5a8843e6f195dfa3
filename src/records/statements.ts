import type { Parameter, Statement } from '../db/statement.ts';
import type { Column } from './column.ts';
import { timesOf } from './version.ts';

type Placeholder = `$${number}`;
type Body = Readonly<Record<string, unknown>>;
type IfMatch = readonly string[] | null;

export type Statements = ReturnType<typeof statementsOf>;

/** In the pieces of SQL `r` is the record's row, `n` the body as a row. `tag` replaces `version`, the column. */
export function statementsOf(
  table: string,
  columns: Readonly<Record<string, Column>>,
  version: string,
  tag: { readonly sql: string } | undefined,
) {
  const entries = Object.entries(columns);
  const isStateful = entries.some(([, { states }]) => states !== undefined);
  const those = (change: Column['change']): string[] =>
    entries.flatMap(([column, one]) => (one.change === change ? [column] : []));
  const insertions = entries.flatMap(([column, { inserted }]) =>
    inserted ? [[column, inserted(column)]] : [],
  );
  const bodyAsRow = (body: Placeholder): string =>
    `jsonb_populate_record(null::public.${table}, ${body}::jsonb) as n`;
  const changed = (body: Placeholder | 'l.value'): string =>
    lines(
      those('set').map(
        (column) =>
          `${column} = case when ${body}::jsonb ? '${column}' then n.${column} else r.${column} end`,
      ),
    );
  const isVersion = (versions: Placeholder): string =>
    tag === undefined
      ? `(${versions}::timestamptz[] is null or r.${version} = any (${versions}))`
      : `(${versions}::text[] is null or ${tag.sql} = any (${versions}))`;
  const versions = (ifMatch: IfMatch): Parameter =>
    ifMatch === null || tag !== undefined ? ifMatch : timesOf(ifMatch);
  const selected = lines(
    entries.map(([column, { sql }]) => (sql === undefined ? `r.${column}` : `${sql} as ${column}`)),
  );
  const inserted = lines(insertions.map(([column = '']) => column));
  const given = lines(insertions.map(([, value = '']) => value));
  // Of two moves at once the second finds another status than it has read: it changes no row and is a conflict.
  const statusBefore = `
with seen as materialized (
    select s.status
    from public.${table} as s
    where s.id = $1
)`;
  const insertion = `
insert into public.${table} as r (${inserted})
select ${given}
from ${bodyAsRow('$1')}
returning ${selected}`;
  const conditions = [
    'r.id = $1',
    ...those('fixed').map((column) => `(not $2::jsonb ? '${column}' or r.${column} = n.${column})`),
    isVersion('$3'),
    ...(isStateful ? [IS_MOVABLE] : []),
  ];
  const change = `${isStateful ? statusBefore : ''}
update public.${table} as r
set ${changed('$2')}
from ${bodyAsRow('$2')}
where ${conditions.join('\n    and ')}
returning ${selected}`;
  const deletion = `
delete from public.${table} as r
where r.id = $1 and ${isVersion('$2')}`;
  const parents = entries.flatMap(([column, { change, names }]) =>
    change === 'set' && names !== undefined && names.label.lookUp === undefined
      ? [{ column, parent: names.label.table }]
      : [],
  );
  // Locks parents before the row, as a deletion does, so that the two cannot deadlock.
  const locks = (bodies: readonly Body[]): Statement[] =>
    parents.flatMap(({ column, parent }) => {
      const ids = bodies.map((body) => body[column]).filter((id) => typeof id === 'string');
      return ids.length === 0 ? [] : [locking(parent, ids, 'key share')];
    });

  return {
    ...{ selected, inserted, given, bodyAsRow, changed, isVersion, versions, locks },
    bodiesAsRows: (bodies: Placeholder) =>
      `jsonb_populate_recordset(null::public.${table}, ${bodies}::jsonb) as n`,
    insertion: (body: Body): Statement => ({ text: insertion, values: [JSON.stringify(body)] }),
    change: (id: string, body: Body, ifMatch: IfMatch): readonly Statement[] => [
      ...locks([body]),
      { text: change, values: [id, JSON.stringify(body), versions(ifMatch)] },
    ],
    deletion: (id: string, ifMatch: IfMatch): Statement => ({
      text: deletion,
      values: [id, versions(ifMatch)],
    }),
  };
}

/** In the order of the ids, so that two requests wait for each other and do not deadlock. */
export function locking(table: string, ids: readonly string[], strength: string): Statement {
  return {
    text: `select from public.${table} as r where r.id = any ($1::uuid[]) order by r.id for ${strength}`,
    values: [ids],
  };
}

const IS_MOVABLE = `(
        not $2::jsonb ? 'status'
        or r.status = (select seen.status from seen) and (r.status <> n.status or $2::jsonb - 'status' <> '{}')
    )`;

function lines(texts: readonly string[]): string {
  return texts.map((text) => `\n    ${text}`).join(',');
}
