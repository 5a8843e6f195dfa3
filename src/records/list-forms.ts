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

/** What an index of words finds: the ids of rows, or null for too many, and the conditions that are fast for few rows. */
export interface Found {
  readonly ids: string;
  readonly conditions: readonly string[];
}

/** A condition: the row is as new as the last of some rows, or those are too few. */
type Bound = (parts: Parts) => string;

/**
 * Bounds by the newest `count` rows of a sample of the caller's clients. The sample stands in a select of its own,
 * because a plan that sees its length is made anew for each request; the time in an array, because beside the bound of a
 * cursor the planner would expect a narrow range.
 */
export function ofClients(client: string, sample: string, count: string): Bound {
  return ({ from, conditions, order }) => {
    const [column, comparison, furthest] = towards(order);
    return `r.${column} ${comparison} any (array[(
        select coalesce(
            (
                select r.${column}
                from unnest((select ${sample}::uuid[])) as c (id)
                cross join lateral (
                    select r.id, r.${column}
                    from ${from}
                    ${whereAll([`${client} = c.id`, ...conditions])}
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

/** Bounds by the next rows of all. */
export const ofAll =
  (count: number): Bound =>
  ({ from, conditions, order }) => {
    const [column, comparison, furthest] = towards(order);
    return `r.${column} ${comparison} (
        select coalesce(
            (
                select r.${column}
                from ${from}
                ${whereAll(conditions)}
                ${orderBy(order)}
                offset ${count}
                limit 1
            ),
            '${furthest}'
        )
    )`;
  };

function towards([{ column, direction }]: Orders): readonly [
  column: string,
  comparison: string,
  furthest: string,
] {
  return direction === 'desc' ? [column, '>=', '-infinity'] : [column, '<=', 'infinity'];
}

/** As new as a page of the sample's rows: at least a page. Where the sample has less than a page, all rows are read. */
export function newest(client: string, sample: string): Form {
  return (parts) => {
    const bound = ofClients(client, sample, `${parts.limit}::bigint`)(parts);
    return gathered({ ...parts, conditions: [bound, ...parts.conditions] });
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
 * For filters without an index on very many rows: tries those within the bound first. Where fewer than a page pass,
 * reads those that were found by words; where there are no words or too many are found, every row, with parallel workers,
 * which the planner uses only in a scan where it expects few rows; it expects few for a condition cast to a number.
 */
export function nearFirst(form: Form, bound: Bound, found?: Found): Form {
  return (parts) => {
    const { from, conditions, beginning, limit } = parts;
    const behind = beginning === undefined ? [] : [beginning];
    const few = [...(found?.conditions ?? []), ...behind];
    const near = found !== undefined && form === alongIndex ? few : conditions;
    const rest = (when: string, of: string, kept: readonly string[]): string => `
union all
select r.*
from (${gathered({ ...parts, from: of, conditions: kept })}
) as r
where not (select is_enough from found) and (select ids ${when} from found)`;
    // Each by its id: the planner would look for them among those of the caller's clients.
    const byId = `unnest((select ids from found)) as f (id) cross join lateral (select r.* from ${from} where r.id = f.id offset 0) as r`;
    return `
with near as materialized (${form({ ...parts, conditions: [bound({ ...parts, conditions: behind }), ...near] })}
),
found as materialized (
    select e.is_enough, case when not e.is_enough then ${found?.ids ?? 'null'}::uuid[] end as ids
    from (select count(*) >= ${limit} as is_enough from near) as e
)
select r.*
from near as r
where (select is_enough from found)${
      found === undefined ? '' : rest('is not null', byId, few)
    }${rest('is null', from, [`(${conditions.join(' and ')})::integer = 1`])}`;
  };
}

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
