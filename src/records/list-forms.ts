import type { Label } from './column.ts';
import { orderBy, type Orders } from './order.ts';

interface SelectParts {
  readonly columns: string;
  readonly from: string;
  /** The table in which the ids of a page are found first; by default `from`. */
  readonly idSource?: string | undefined;
  readonly conditions: readonly string[];
  readonly cursorCondition?: string | undefined;
  readonly order: Orders;
  readonly partitionedBy?: string | undefined;
  /** Makes the select for a list that is sorted by names of other records: it joins these names to the rows. */
  readonly named?: JoinedNames | undefined;
  readonly limit: string;
  readonly offset: string | undefined;
}

interface JoinedNames {
  readonly from: string;
  readonly columns: readonly string[];
}

export type SelectForm = (parts: SelectParts) => string;

export const readInIndexOrder: SelectForm = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${whereClause(conditions)}
${orderBy(order)}
${limitClause(page)}`;

/**
 * Reads all of the caller's rows, then sorts them. `offset 0` hides the order from the planner, which would otherwise
 * read everybody's rows in this order and check the policy for each.
 */
export const sortAfterReading: SelectForm = ({ columns, from, conditions, order, ...page }) => `
select r.*
from (
    select ${columns}
    from ${from}
    ${whereClause(conditions)}
    offset 0
) as r
${orderBy(order)}
${limitClause(page)}`;

/**
 * The result of the word index: ids of rows, or null if there are too many; and the conditions that are fast for few
 * rows.
 */
export interface WordSearch {
  readonly ids: string;
  readonly conditions: readonly string[];
}

/**
 * Makes the condition that a row is at least as new as the n-th newest of some rows. With fewer than n rows every
 * row passes.
 */
type Bound = (parts: SelectParts) => string;

/**
 * The bound is the oldest of the newest `count` rows of a sample of the caller's clients. The sample is in a select
 * of its own: a plan that depends on its length would be made anew for each request. The time is in an array: with
 * a plain time and the cursor's bound the planner would expect a narrow range.
 */
export function boundOfSample(client: string, sample: string, count: string): Bound {
  return ({ from, conditions, order }) => {
    const [column, comparison, furthest] = boundComparison(order);
    return `r.${column} ${comparison} any (array[(
        select coalesce(
            (
                select r.${column}
                from unnest((select ${sample}::uuid[])) as c (id)
                cross join lateral (
                    select r.id, r.${column}
                    from ${from}
                    ${whereClause([`${client} = c.id`, ...conditions])}
                    ${orderBy(order)}
                    limit ${count}
                ) as r
                ${orderBy(order)}
                offset ${count} - 1
                limit 1
            ),
            '${furthest}'
        )
    )])`;
  };
}

/** The bound is the last of the next `count` rows of all tenants. */
export const boundOfEverybody =
  (count: number): Bound =>
  ({ from, conditions, order }) => {
    const [column, comparison, furthest] = boundComparison(order);
    return `r.${column} ${comparison} (
        select coalesce(
            (
                select r.${column}
                from ${from}
                ${whereClause(conditions)}
                ${orderBy(order)}
                offset ${count}
                limit 1
            ),
            '${furthest}'
        )
    )`;
  };

function boundComparison([{ column, direction }]: Orders): readonly [
  column: string,
  comparison: string,
  furthest: string,
] {
  return direction === 'desc' ? [column, '>=', '-infinity'] : [column, '<=', 'infinity'];
}

/**
 * Reads the rows that are at least as new as a page of the sample's rows. If the sample has less than a page, reads
 * all rows.
 */
export function newestOfSample(client: string, sample: string): SelectForm {
  return (parts) => {
    const bound = boundOfSample(client, sample, `${parts.limit}::bigint`)(parts);
    return sortAfterReading({ ...parts, conditions: [bound, ...parts.conditions] });
  };
}

export function nullsLast(client: string, sample: () => string): SelectForm {
  return (parts) => {
    const { cursorCondition, conditions, order, limit } = parts;
    if (cursorCondition !== undefined) return idsFirst(sortAfterReading)(parts);
    const [{ column }] = order;
    const known = newestOfSample(
      client,
      sample(),
    )({ ...parts, conditions: [`r.${column} is not null`, ...conditions] });
    const unknown = idsFirst(sortAfterReading)({
      ...parts,
      conditions: [`r.${column} is null`, ...conditions],
    });
    return `
with known as materialized (${known}
)
select r.*
from (
    select k.*
    from known as k
    union all
    select u.*
    from (${unknown}
    ) as u
    where (select count(*) from known) < ${limit}
) as r
${orderBy(order)}
limit ${limit}`;
  };
}

/**
 * For filters without an index, on very many rows. The query makes three attempts, each only if the earlier ones
 * found less than a page: recent rows; rows from the word index; every row, with parallel workers. The planner uses
 * workers only where it expects few rows, and it expects few for a condition that is cast to a number.
 */
export function recentRowsFirst(form: SelectForm, bound: Bound, found?: WordSearch): SelectForm {
  return (parts) => {
    const { from, conditions, cursorCondition, limit } = parts;
    const cursorParts = cursorCondition === undefined ? [] : [cursorCondition];
    const few = [...(found?.conditions ?? []), ...cursorParts];
    const nearConditions = found !== undefined && form === readInIndexOrder ? few : conditions;
    const selectIfNotEnough = (when: string, of: string, kept: readonly string[]): string => `
union all
select r.*
from (${sortAfterReading({ ...parts, from: of, conditions: kept })}
) as r
where not (select is_enough from found) and (select ids ${when} from found)`;
    // Reads each row by its id, because the planner would otherwise scan the rows of all the caller's clients.
    const byId = `unnest((select ids from found)) as f (id) cross join lateral (select r.* from ${from} where r.id = f.id offset 0) as r`;
    return `
with near as materialized (${form({ ...parts, conditions: [bound({ ...parts, conditions: cursorParts }), ...nearConditions] })}
),
found as materialized (
    select e.is_enough, case when not e.is_enough then ${found?.ids ?? 'null'}::uuid[] end as ids
    from (select count(*) >= ${limit} as is_enough from near) as e
)
select r.*
from near as r
where (select is_enough from found)${
      found === undefined ? '' : selectIfNotEnough('is not null', byId, few)
    }${selectIfNotEnough('is null', from, [`(${conditions.join(' and ')})::integer = 1`])}`;
  };
}

/**
 * Sorts and skips rows of a few columns, then reads the page's rows. The join is lateral; otherwise the planner
 * would read the whole table.
 */
export function idsFirst(form: SelectForm): SelectForm {
  return (parts) => {
    const columns = ['id', ...parts.order.map(({ column }) => column)];
    const keys = columns.filter((column) => column === 'id' || column === parts.partitionedBy);
    const names = (parts.named?.columns ?? []).map((column) => `, page.${column}`);
    const from = parts.named?.from ?? parts.idSource ?? parts.from;
    return `
select r.*
from (${form({ ...parts, from, columns: columns.map((column) => `r.${column}`).join(', ') })}
) as page
cross join lateral (
    select ${parts.columns}${names.join('')}
    from ${parts.from}
    ${whereClause(keys.map((column) => `r.${column} = page.${column}`))}
    offset 0
) as r
${orderBy(parts.order, 'page')}`;
  };
}

/**
 * The named rows are materialized, so that the planner joins them by a hash. Otherwise it would look up the name of
 * each row under the policy, in a nested loop. `conditions` are the conditions of the listed rows; a look-up
 * function needs them.
 */
export function joinNames(
  table: string,
  names: readonly { readonly as: string; readonly column: string; readonly label: Label }[],
  conditions: readonly string[],
  texts: readonly string[],
): JoinedNames {
  const usedColumns = new Set([...conditions, ...texts].flatMap((text) => text.match(/\br\.\w+/g) ?? []));
  const columns = names.map(({ as }) => `by_${as}`);
  const stored = [...usedColumns].filter((one) => !columns.includes(one.slice(2)));
  const named = names.map(({ as, column, label }) => {
    const ids = `array(select distinct r.${column} from public.${table} as r ${whereClause(conditions)})`;
    const rows = label.lookUp?.(ids) ?? `public.${label.table}`;
    return `"${as}" as materialized (select n.id, n.${String(label.name)} from ${rows} as n)`;
  });
  const joins = names.map(
    ({ as, column }) => `
    left join "${as}" on "${as}".id = t.${column}`,
  );
  return {
    columns,
    from: `(
    with ${named.join(', ')}
    select ${[
      ...stored.map((one) => one.replace('r.', 't.')),
      ...names.map(({ as, label }) => `"${as}".${String(label.name)} as by_${as}`),
    ].join(', ')}
    from public.${table} as t${joins.join('')}
) as r`,
  };
}

function limitClause({ limit, offset }: Pick<SelectParts, 'limit' | 'offset'>): string {
  return offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
}

export function whereClause(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
