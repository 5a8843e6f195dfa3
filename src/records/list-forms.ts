import type { Parameter } from '../db/statement.ts';
import type { Caller } from '../identity/caller.ts';

/** The pieces of a list's statement. */
interface Parts {
  readonly columns: string;
  readonly from: string;
  readonly conditions: readonly string[];
  readonly order: Order;
  /** Parameters of type bigint; no offset where nothing is skipped. */
  readonly limit: string;
  readonly offset: string | undefined;
}

export interface Order {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

/** How the rows of a caller's clients are found in a table. */
export interface Ownership {
  /** The column that holds the client; an index begins with it and goes on with the time of creation and the id. */
  readonly client?: string;
  /** Where a parent holds the client: the condition that leads from the caller's parents to the rows. */
  readonly throughParent?: string;
}

type Form = (parts: Parts) => string;

/** What the choice of a form depends on. */
interface Asked {
  /** Whether the request names a client, or what few rows have and an index finds. */
  readonly isNarrow: boolean;
  /** Whether the order is the one that indexes have. */
  readonly isByTime: boolean;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The form that is fast for a caller with these clients, and the conditions that it needs beside the request's;
 * docs/decisions/lists.md has the reasons.
 */
export function formFor(
  { client, throughParent }: Ownership,
  { isNarrow, isByTime, limit, offset }: Asked,
  { role, clientAccess }: Caller,
  add: (value: Parameter) => string,
): { readonly form: Form; readonly needs: readonly string[] } {
  const isEverything = role === 'ADMIN' && clientAccess.length === 0;
  const isOwned = client !== undefined || throughParent !== undefined;
  if (!isOwned || isEverything || isNarrow) {
    const isWhole = isEverything && !isByTime;
    return { form: offset > 0 || isWhole ? pageFirst(alongIndex) : alongIndex, needs: [] };
  }
  const needs = throughParent === undefined ? [] : [throughParent];
  if (offset > 0) return { form: pageFirst(gathered), needs };
  return {
    form: client !== undefined && isByTime ? newest(client, add(sampleOf(clientAccess, limit))) : gathered,
    needs,
  };
}

/** Along an index: that of the order, or of what the request names. */
const alongIndex: Form = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${where(conditions)}
${orderBy(order)}
${limited(page)}`;

/**
 * All of the caller's rows, and then their order. The planner must not see the order, or it walks everybody's rows in
 * it and holds each against the policy: where it sees none it starts from the policy's list of clients.
 */
const gathered: Form = ({ columns, from, conditions, order, ...page }) => `
select r.*
from (
    select ${columns}
    from ${from}
    ${where(conditions)}
    offset 0
) as r
${orderBy(order)}
${limited(page)}`;

/**
 * Those of the caller's rows that are as new as the last of a page of some clients: as many as a page at least, and few
 * more. Where the rows of these clients are less than a page, all rows are read: each client has few then. The sample
 * stands in a select of its own, because a plan that sees its length is made anew for each request.
 */
function newest(client: string, sample: string): Form {
  return (parts) => {
    const { from, conditions, order, limit } = parts;
    const [comparison, furthest] = order.direction === 'desc' ? ['>=', '-infinity'] : ['<=', 'infinity'];
    const isOfPage = `r.${order.column} ${comparison} (
        select coalesce(
            (
                select r.${order.column}
                from unnest((select ${sample}::uuid[])) as c (id)
                cross join lateral (
                    select r.id, r.${order.column}
                    from ${from}
                    ${where([`${client} = c.id`, ...conditions])}
                    ${orderBy(order)}
                    limit ${limit}
                ) as r
                ${orderBy(order)}
                offset ${limit}::bigint - 1
                limit 1
            ),
            '${furthest}'
        )
    )`;
    return gathered({ ...parts, conditions: [isOfPage, ...conditions] });
  };
}

/**
 * First what the page consists of, and only then the rest of its rows: what is skipped or sorted stays narrow, and often
 * an index has all of it. Lateral, because the planner takes a page for a tenth of the table and would read all of it.
 */
function pageFirst(form: Form): Form {
  return (parts) => `
select r.*
from (${form({ ...parts, columns: `r.id, r.${parts.order.column}` })}
) as page
cross join lateral (
    select ${parts.columns}
    from ${parts.from}
    where r.id = page.id
    offset 0
) as r
${orderBy(parts.order, 'page')}`;
}

/** Evenly from all of the caller's clients; enough to have a page among them, as a rule. */
function sampleOf(clients: readonly string[], limit: number): readonly string[] {
  const step = Math.max(1, Math.floor(clients.length / (16 + limit / 10)));
  return clients.filter((_, index) => index % step === 0);
}

export function orderBy({ column, direction }: Order, rows = 'r'): string {
  return `order by ${rows}.${column} ${direction}, ${rows}.id ${direction}`;
}

function limited({ limit, offset }: Pick<Parts, 'limit' | 'offset'>): string {
  return offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
