import type { RecordLabel } from './column.ts';
import { buildOrderBy, type SortOrders } from './order.ts';

interface SelectParts {
  readonly columns: string;
  readonly from: string;
  /** The table in which the query finds the ids of a page before it reads the rows; by default the table in `from`. */
  readonly idSource?: string | undefined;
  readonly conditions: readonly string[];
  readonly after?: string | undefined;
  readonly order: SortOrders;
  readonly partitionedBy?: string | undefined;
  /** For a list that is sorted by names of other records: the SQL that joins these names to the rows. */
  readonly names?: JoinedNames | undefined;
  readonly limit: string;
  readonly offset: string | undefined;
}

interface JoinedNames {
  readonly from: string;
  readonly columns: readonly string[];
}

export type SelectForm = (parts: SelectParts) => string;

export const readInOrder: SelectForm = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${buildWhereClause(conditions)}
${buildOrderBy(order)}
${buildLimitClause(page)}`;

/**
 * Reads all of the caller's rows, then sorts them. `offset 0` hides the order from the planner, which would otherwise
 * read all tenants' rows in that order and check the row policy for each row.
 */
export const readThenSort: SelectForm = ({ columns, from, conditions, order, ...page }) => `
select r.*
from (
    select ${columns}
    from ${from}
    ${buildWhereClause(conditions)}
    offset 0
) as r
${buildOrderBy(order)}
${buildLimitClause(page)}`;

/**
 * The SQL of a search in the word index. The query `ids` returns the ids of matching rows, or null if there are too
 * many. On few rows, Postgres tests `conditions` faster than the list's own conditions.
 */
export interface WordSearch {
  readonly ids: string;
  readonly conditions: readonly string[];
}

/**
 * Makes an SQL condition that ends a list at the row that a subselect finds. The condition compares the first sort
 * column with the value in the found row; if the subselect finds no row, the condition is always true.
 */
type TimeBound = (parts: SelectParts) => string;

/**
 * Ends a list at the `count`-th row of the clients in the SQL array `sample`. A subselect hides the array's length from
 * the planner, so that Postgres can reuse the plan. The sort value is in an array, because the planner would expect too
 * few rows after a comparison with a plain value.
 */
export function boundBySample(client: string, sample: string, count: string): TimeBound {
  return ({ from, conditions, order }) => {
    const [column, comparison, furthest] = compareBound(order);
    return `r.${column} ${comparison} any (array[(
        select coalesce(
            (
                select r.${column}
                from unnest((select ${sample}::uuid[])) as c (id)
                cross join lateral (
                    select r.id, r.${column}
                    from ${from}
                    ${buildWhereClause([`${client} = c.id`, ...conditions])}
                    ${buildOrderBy(order)}
                    limit ${count}
                ) as r
                ${buildOrderBy(order)}
                offset ${count} - 1
                limit 1
            ),
            '${furthest}'
        )
    )])`;
  };
}

/** Ends a list at the row after the next `count` rows, whichever tenants they belong to. */
export const boundByRows =
  (count: number): TimeBound =>
  ({ from, conditions, order }) => {
    const [column, comparison, furthest] = compareBound(order);
    return `r.${column} ${comparison} (
        select coalesce(
            (
                select r.${column}
                from ${from}
                ${buildWhereClause(conditions)}
                ${buildOrderBy(order)}
                offset ${count}
                limit 1
            ),
            '${furthest}'
        )
    )`;
  };

function compareBound([{ column, direction }]: SortOrders): readonly [
  column: string,
  comparison: string,
  furthest: string,
] {
  return direction === 'desc' ? [column, '>=', '-infinity'] : [column, '<=', 'infinity'];
}

/**
 * Finds where a page would end if it had only rows of the sampled clients, then reads the caller's rows up to that row.
 * If the sampled clients have fewer rows than a page, the query reads all rows of the caller.
 */
export function selectNewestOfSample(client: string, sample: string): SelectForm {
  return (parts) => {
    const bound = boundBySample(client, sample, `${parts.limit}::bigint`)(parts);
    return readThenSort({ ...parts, conditions: [bound, ...parts.conditions] });
  };
}

export function selectNullsLast(client: string, sample: () => string): SelectForm {
  return (parts) => {
    const { after, conditions, order, limit } = parts;
    if (after !== undefined) return selectIdsFirst(readThenSort)(parts);
    const [{ column }] = order;
    const full = { ...parts, conditions: [`r.${column} is not null`, ...conditions] };
    const known = selectNewestOfSample(client, sample())(full);
    const empty = { ...parts, conditions: [`r.${column} is null`, ...conditions] };
    const rest = selectIdsFirst(readThenSort)(empty);
    return `
with known as materialized (${known}
)
select r.*
from (
    select k.*
    from known as k
    union all
    select u.*
    from (${rest}
    ) as u
    where (select count(*) from known) < ${limit}
) as r
${buildOrderBy(order)}
limit ${limit}`;
  };
}

/**
 * Makes the select for a list that filters very many rows without an index. The select tests the most recent rows
 * first. If the recent rows do not fill a page, the select takes the ids from the word index; if the word index returns
 * null, the select tests every row. The cast to integer makes the planner expect few rows: only then does it use
 * parallel workers.
 */
export function searchRecentRowsFirst(form: SelectForm, bound: TimeBound, found?: WordSearch): SelectForm {
  return (parts) => {
    const { from, conditions, after, limit } = parts;
    const behind = after === undefined ? [] : [after];
    const few = [...(found?.conditions ?? []), ...behind];
    const recent = found !== undefined && form === readInOrder ? few : conditions;
    const fallback = (when: string, of: string, kept: readonly string[]): string => `
union all
select r.*
from (${readThenSort({ ...parts, from: of, conditions: kept })}
) as r
where not (select is_enough from found) and (select ids ${when} from found)`;
    // Reads each row by its id, because the planner would otherwise scan the rows of all the caller's clients.
    const byId = `unnest((select ids from found)) as f (id) cross join lateral (select r.* from ${from} where r.id = f.id offset 0) as r`;
    return `
with near as materialized (${form({ ...parts, conditions: [bound({ ...parts, conditions: behind }), ...recent] })}
),
found as materialized (
    select e.is_enough, case when not e.is_enough then ${found?.ids ?? 'null'}::uuid[] end as ids
    from (select count(*) >= ${limit} as is_enough from near) as e
)
select r.*
from near as r
where (select is_enough from found)${
      found === undefined ? '' : fallback('is not null', byId, few)
    }${fallback('is null', from, [`(${conditions.join(' and ')})::integer = 1`])}`;
  };
}

/**
 * Sorts only the ids and sort columns of all rows, then reads the whole rows of the page. The whole rows are read by a
 * lateral join, because the planner would otherwise read the whole table.
 */
export function selectIdsFirst(form: SelectForm): SelectForm {
  return (parts) => {
    const keys = [...new Set(['id', ...parts.order.map(({ column }) => column)])];
    const same = keys.filter((column) => column === 'id' || column === parts.partitionedBy);
    const names = (parts.names?.columns ?? []).map((column) => `, page.${column}`);
    const from = parts.names?.from ?? parts.idSource ?? parts.from;
    return `
select r.*
from (${form({ ...parts, from, columns: keys.map((column) => `r.${column}`).join(', ') })}
) as page
cross join lateral (
    select ${parts.columns}${names.join('')}
    from ${parts.from}
    ${buildWhereClause(same.map((column) => `r.${column} = page.${column}`))}
    offset 0
) as r
${buildOrderBy(parts.order, 'page')}`;
  };
}

/**
 * Reads the names in a materialized CTE, so that the planner uses a hash join. In a nested loop, Postgres would check
 * the row policy for each name. `conditions` are the list's filters, so that names are looked up only for rows that
 * match them.
 */
export function joinNames(
  table: string,
  names: readonly { readonly as: string; readonly column: string; readonly label: RecordLabel }[],
  conditions: readonly string[],
  texts: readonly string[],
): JoinedNames {
  const used = new Set([...conditions, ...texts].flatMap((text) => text.match(/\br\.\w+/g) ?? []));
  const columns = names.map(({ as }) => `by_${as}`);
  const stored = [...used].filter((one) => !columns.includes(one.slice(2)));
  const queries = names.map(({ as, column, label }) => {
    const ids = `array(select distinct r.${column} from public.${table} as r ${buildWhereClause(conditions)})`;
    const source = label.lookUp?.(ids) ?? `public.${label.table}`;
    return `"${as}" as materialized (select n.id, n.${String(label.name)} from ${source} as n)`;
  });
  const joins = names.map(
    ({ as, column }) => `
    left join "${as}" on "${as}".id = t.${column}`,
  );
  return {
    columns,
    from: `(
    with ${queries.join(', ')}
    select ${[
      ...stored.map((one) => one.replace('r.', 't.')),
      ...names.map(({ as, label }) => `"${as}".${String(label.name)} as by_${as}`),
    ].join(', ')}
    from public.${table} as t${joins.join('')}
) as r`,
  };
}

function buildLimitClause({ limit, offset }: Pick<SelectParts, 'limit' | 'offset'>): string {
  return offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
}

export function buildWhereClause(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
