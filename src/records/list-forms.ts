import { LIST_NEAR } from '../limits.ts';
import { orderBy, type Orders } from './order.ts';

interface Parts {
  readonly columns: string;
  readonly from: string;
  readonly conditions: readonly string[];
  readonly beginning?: string | undefined;
  readonly order: Orders;
  readonly partitionedBy?: string | undefined;
  readonly limit: string;
  readonly offset: string | undefined;
}

export type Form = (parts: Parts) => string;

export const alongIndex: Form = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${whereAll(conditions)}
${orderBy(order)}
${limited(page)}`;

/**
 * Reads all of the caller's rows, then sorts them. `offset 0` hides the order from the planner, which would otherwise
 * read everybody's rows in this order and check the policy for each.
 */
export const gathered: Form = ({ columns, from, conditions, order, ...page }) => `
select r.*
from (
    select ${columns}
    from ${from}
    ${whereAll(conditions)}
    offset 0
) as r
${orderBy(order)}
${limited(page)}`;

/**
 * Finds a time so that the newer rows are at least a page: the last of a page from a sample of the caller's clients.
 * Where the sample has less than a page, all rows are read. The sample stands in a select of its own, because a plan
 * that sees its length is made anew for each request; the time in an array, because beside the bound of a cursor the
 * planner would expect a narrow range.
 */
export function newest(client: string, sample: string): Form {
  return (parts) => {
    const { from, conditions, order, limit } = parts;
    const [{ column, direction }] = order;
    const [comparison, furthest] = direction === 'desc' ? ['>=', '-infinity'] : ['<=', 'infinity'];
    const isOfPage = `r.${column} ${comparison} any (array[(
        select coalesce(
            (
                select r.${column}
                from unnest((select ${sample}::uuid[])) as c (id)
                cross join lateral (
                    select r.id, r.${column}
                    from ${from}
                    ${whereAll([`${client} = c.id`, ...conditions])}
                    ${orderBy(order)}
                    limit ${limit}
                ) as r
                ${orderBy(order)}
                offset ${limit}::bigint - 1
                limit 1
            ),
            '${furthest}'
        )
    )])`;
    return gathered({ ...parts, conditions: [isOfPage, ...conditions] });
  };
}

export function unknownLast(client: string, sample: () => string): Form {
  return (parts) => {
    const { beginning, conditions, order, limit } = parts;
    if (beginning !== undefined) return pageFirst(gathered)(parts);
    const [{ column }] = order;
    const known = newest(
      client,
      sample(),
    )({ ...parts, conditions: [`r.${column} is not null`, ...conditions] });
    const unknown = pageFirst(gathered)({ ...parts, conditions: [`r.${column} is null`, ...conditions] });
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
 * For filters without an index on very many rows: tries the next LIST_NEAR rows first. Where fewer than a page pass,
 * reads every row with parallel workers, which the planner uses only in a scan where it expects few rows; it expects
 * few for a condition cast to a number.
 */
export const nearFirst: Form = (parts) => {
  const { from, conditions, beginning, order, limit } = parts;
  const [{ column, direction }] = order;
  const [comparison, furthest] = direction === 'desc' ? ['>=', '-infinity'] : ['<=', 'infinity'];
  const isNear = `r.${column} ${comparison} (
        select coalesce(
            (
                select r.${column}
                from ${from}
                ${whereAll(beginning === undefined ? [] : [beginning])}
                ${orderBy(order)}
                offset ${LIST_NEAR}
                limit 1
            ),
            '${furthest}'
        )
    )`;
  const isEnough = `(select count(*) from near) >= ${limit}`;
  return `
with near as materialized (${alongIndex({ ...parts, conditions: [isNear, ...conditions] })}
)
select r.*
from near as r
where ${isEnough}
union all
select r.*
from (${gathered({ ...parts, conditions: [`(${conditions.join(' and ')})::integer = 1`] })}
) as r
where not ${isEnough}`;
};

/** Skips and sorts narrow rows first. Lateral, because the planner would otherwise read all of the table. */
export function pageFirst(form: Form): Form {
  return (parts) => {
    const columns = ['id', ...parts.order.map(({ column }) => column)];
    const named = columns.filter((column) => column === 'id' || column === parts.partitionedBy);
    return `
select r.*
from (${form({ ...parts, columns: columns.map((column) => `r.${column}`).join(', ') })}
) as page
cross join lateral (
    select ${parts.columns}
    from ${parts.from}
    ${whereAll(named.map((column) => `r.${column} = page.${column}`))}
    offset 0
) as r
${orderBy(parts.order, 'page')}`;
  };
}

function limited({ limit, offset }: Pick<Parts, 'limit' | 'offset'>): string {
  return offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
}

export function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
