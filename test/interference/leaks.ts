import type { Column } from './statements.ts';
import type { Statement } from './step.ts';
import type { World } from './world.ts';

/*
 * SQL conditions that raise an error if a row has a value of another tenant. If Postgres evaluated such a condition
 * before the row-level security policy, the error would tell the caller that the row exists.
 */

/** How many values of other tenants one SQL condition has at most. */
const MOST = 40;

/** Returns values of a column that only rows of other tenants have. */
async function foreignValues(worlds: readonly World[], { view, name }: Column): Promise<string[]> {
  const values = new Set<string>();
  const own = new Set<string>();
  for (const world of worlds) {
    const sql = `select distinct v.${name}::text as value from reporting.${view} as v where v.${name} is not null order by 1 limit 400`;
    for (const { value } of await world.admin(sql)) values.add(String(value));
    const tool = await world.login('reporting');
    const readable = await tool.query<{ value: string }>(sql.replace(' limit 400', ''));
    for (const { value } of readable.rows) own.add(value);
  }
  return [...values].filter((value) => !own.has(value)).slice(0, MOST);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * SQL conditions on a column. Each raises an error for a value of another tenant, and is true for every other value.
 */
function conditions({ name, type }: Column, values: readonly string[]): string[] {
  const [first = ''] = values;
  const is = `v.${name}::text = any (array[${values.map(quoted).join()}])`;
  const typed = `v.${name} = ${quoted(first)}::${type}`;
  const general = [
    `1 / (case when ${is} then 0 else 1 end) = 1`,
    `(case when ${is} then 'nothing' else '1' end)::integer = 1`,
    `(case when ${typed} then v.${name}::text || '!' else '2024-01-01' end)::date is not null`,
    `substring('x' from case when ${is} then '(' else '.' end) = 'x'`,
  ];
  if (['integer', 'bigint', 'numeric'].includes(type))
    return [
      ...general,
      `1 / (v.${name} - ${quoted(first)}::${type}) is distinct from 7`,
      `sqrt(case when ${typed} then -1 else 1 end) = 1`,
    ];
  if (type === 'date') return [...general, `1 / (v.${name} - ${quoted(first)}::date) is distinct from 7`];
  if (type.startsWith('timestamp'))
    return [...general, `1 / extract(epoch from v.${name} - ${quoted(first)}::${type}) is distinct from 7`];
  if (type === 'uuid')
    return [
      ...general,
      `jsonb_build_object('a', 1) -> (case when ${typed} then '{' else 'a' end) = (case when ${typed} then '{' else '1' end)::jsonb`,
    ];
  return [...general, `convert_from(decode(case when ${typed} then 'zz' else '41' end, 'hex'), 'UTF8') = 'A'`];
}

/** Where an SQL query can have a condition, for example in WHERE, FILTER, a join or GROUP BY. */
const PLACES: readonly ((view: string, condition: string) => string)[] = [
  (view, condition) => `select count(*) from reporting.${view} as v where ${condition}`,
  (view, condition) => `select count(*) filter (where ${condition}) from reporting.${view} as v`,
  (view, condition) => `select count(*) from (select * from reporting.${view} as v where ${condition} offset 0) as v`,
  (view, condition) => `set local enable_seqscan = off; select count(*) from reporting.${view} as v where ${condition}`,
  (view, condition) => `select count(*) from reporting.clients as c left join reporting.${view} as v on ${condition}`,
  (view, condition) => `select count(*) from reporting.${view} as v group by (${condition}) order by 1`,
];

/**
 * Builds SQL queries on columns in which another tenant has a value. Each query has one condition that would reveal
 * this value, in one place of the query.
 */
export async function leaks(worlds: readonly World[], columns: readonly Column[]): Promise<Statement[]> {
  const all: Statement[] = [];
  for (const column of columns) {
    const values = await foreignValues(worlds, column);
    if (values.length === 0) continue;
    for (const condition of conditions(column, values)) {
      const place = PLACES[all.length % PLACES.length] as (typeof PLACES)[number];
      all.push({ login: 'reporting', sql: place(column.view, condition) });
    }
  }
  return all;
}
