import { LIST_NEAR } from '../limits.ts';
import { orderBy } from './order.ts';
import type { Orders } from './order.ts';

/*
 * The forms of a list's statement; which of them is fast for whom, list-choice.ts says.
 */

/** The pieces of a list's statement. */
interface Parts {
  readonly columns: string;
  readonly from: string;
  readonly conditions: readonly string[];
  /** That of them which says where the page begins; undefined for the first page. */
  readonly beginning?: string | undefined;
  readonly order: Orders;
  /** The column by which the table is partitioned: with it, a row is looked for in one partition. */
  readonly partitionedBy?: string | undefined;
  /** Parameters of type bigint; no offset where nothing is skipped. */
  readonly limit: string;
  readonly offset: string | undefined;
}

export type Form = (parts: Parts) => string;

/** Along an index: that of the order, or of what the request names. */
export const alongIndex: Form = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${whereAll(conditions)}
${orderBy(order)}
${limited(page)}`;

/**
 * All of the caller's rows, and then their order. The planner must not see the order, or it walks everybody's rows in
 * it and holds each against the policy: where it sees none it starts from the policy's list of clients.
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
 * Those of the caller's rows that are as new as the last of a page of some clients: as many as a page at least, and few
 * more. Where these clients have less than a page all rows are read, as where they are gathered. The sample
 * stands in a select of its own, because a plan that sees its length is made anew for each request; the bound in an
 * array, because beside another bound, as a cursor's, the planner would take both for a narrow stretch of everybody's time.
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

/** In the order of a column that few rows have, the nearest as `newest` finds them; those without it only behind all others. */
export function unknownLast(client: string, sample: () => string): Form {
  return (parts) => {
    const { beginning, conditions, order, limit } = parts;
    // Behind a cursor the rows with the column and those without it are one condition.
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
 * The next rows of all, of which conditions that no index answers leave a page where many rows pass them; where they leave
 * less, every row, for which the planner takes several processes, as it never does along an index. It does so where it
 * expects few to be left, as it does of conditions that it sees as a number.
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

/**
 * First what the page consists of, and only then the rest of its rows: what is skipped or sorted stays narrow, and often
 * an index has all of it. Lateral, because the planner takes a page for a tenth of the table and would read all of it.
 */
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
