import type { Parameter, Statement } from '../db/statement.ts';
import type { Column } from './column.ts';
import { timesOf } from './version.ts';

interface Tag {
  readonly sql: string;
}

/** The statements of a record, and the pieces of SQL for those that are written out; its row is called `r`. */
export interface Statements {
  readonly selected: string;
  /** The columns of an insert, and what is given for each by a body that is laid out as a row `n`. */
  readonly inserted: string;
  readonly given: string;
  /** A body, in a parameter, as the row `n`. */
  laidOut(body: `$${number}`): string;
  /** An array of such bodies, as rows called `n`. */
  allLaidOut(bodies: `$${number}`): string;
  /** After `set`: each column that the body in the parameter names, from `n`; the others stay. */
  changed(body: `$${number}`): string;
  /** A condition: the version is among those of the parameter, which null leaves open; `versions` gives its value. */
  isVersion(versions: `$${number}`): string;
  versions(ifMatch: readonly string[] | null): Parameter;
  insertion(body: Readonly<Record<string, unknown>>): Statement;
  /** The change of the fields that the body names; no row is touched where another version is wanted. */
  change(id: string, body: Readonly<Record<string, unknown>>, ifMatch: readonly string[] | null): Statement;
  deletion(id: string, ifMatch: readonly string[] | null): Statement;
}

export function statementsOf(
  table: string,
  columns: Readonly<Record<string, Column>>,
  version: string,
  tag: Tag | undefined,
): Statements {
  const entries = Object.entries(columns);
  const isStateful = entries.some(([, { life }]) => life !== undefined);
  const those = (change: Column['change']): string[] =>
    entries.flatMap(([column, one]) => (one.change === change ? [column] : []));
  const given = entries.flatMap(([column, { inserted }]) => (inserted ? [[column, inserted(column)]] : []));
  const laidOut: Statements['laidOut'] = (body) =>
    `jsonb_populate_record(null::public.${table}, ${body}::jsonb) as n`;
  const changed: Statements['changed'] = (body) =>
    lines(
      those('set').map(
        (column) =>
          `${column} = case when ${body}::jsonb ? '${column}' then n.${column} else r.${column} end`,
      ),
    );
  const isVersion: Statements['isVersion'] = (versions) =>
    tag === undefined
      ? `(${versions}::timestamptz[] is null or r.${version} = any (${versions}))`
      : `(${versions}::text[] is null or ${tag.sql} = any (${versions}))`;
  const versions: Statements['versions'] = (ifMatch) =>
    ifMatch === null || tag !== undefined ? ifMatch : timesOf(ifMatch);
  const selected = lines(
    entries.map(([column, { sql }]) => (sql === undefined ? `r.${column}` : `${sql} as ${column}`)),
  );
  const inserted = lines(given.map(([column = '']) => column));
  const values = lines(given.map(([, value = '']) => value));
  const insertion = `
insert into public.${table} as r (${inserted})
select ${values}
from ${laidOut('$1')}
returning ${selected}`;
  // What is fixed is what the body says of it, if anything.
  const conditions = [
    'r.id = $1',
    ...those('fixed').map((column) => `(not $2::jsonb ? '${column}' or r.${column} = n.${column})`),
    isVersion('$3'),
    ...(isStateful ? [IS_MOVABLE] : []),
  ];
  const change = `${isStateful ? seenStatus(table) : ''}
update public.${table} as r
set ${changed('$2')}
from ${laidOut('$2')}
where ${conditions.join('\n    and ')}
returning ${selected}`;
  const deletion = `
delete from public.${table} as r
where r.id = $1 and ${isVersion('$2')}`;

  return {
    ...{ selected, inserted, given: values, laidOut, changed, isVersion, versions },
    allLaidOut: (bodies) => `jsonb_populate_recordset(null::public.${table}, ${bodies}::jsonb) as n`,
    insertion: (body) => ({ text: insertion, values: [JSON.stringify(body)] }),
    change: (id, body, ifMatch) => ({ text: change, values: [id, JSON.stringify(body), versions(ifMatch)] }),
    deletion: (id, ifMatch) => ({ text: deletion, values: [id, versions(ifMatch)] }),
  };
}

/* A new status is a move: of two at once the second finds another status than it saw, touches nothing, and conflicts. */

function seenStatus(table: string): string {
  return `
with seen as materialized (
    select s.status
    from public.${table} as s
    where s.id = $1
)`;
}

const IS_MOVABLE = `(
        not $2::jsonb ? 'status'
        or r.status = (select seen.status from seen) and (r.status <> n.status or $2::jsonb - 'status' <> '{}')
    )`;

/** Locks the parent before the row, in the order of deletions, so that neither waits for the other. */
export function parentFirst(
  table: 'sites' | 'reclamations' | 'factures',
  id: string | null | undefined,
): readonly Statement[] {
  if (id == null) return [];
  return [{ text: `select from public.${table} as r where r.id = $1 for key share`, values: [id] }];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `\n    ${text}`).join(',');
}
