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

/** How a statement is put together, and how it holds the conditions of the request. */
interface Choice {
  readonly form: Form;
  readonly held: (conditions: readonly string[]) => readonly string[];
}

/** What is fast for a caller with these clients; docs/decisions/lists.md has the reasons. */
export function formFor(
  { client, throughParent }: Ownership,
  { isNarrow, isByTime, limit, offset }: Asked,
  { role, clientAccess }: Caller,
  add: (value: Parameter) => string,
): Choice {
  const isEverything = role === 'ADMIN' && clientAccess.length === 0;
  const held: Choice['held'] = (conditions) => conditions;
  const skipping = (form: Form): Form => (offset > 0 ? pageFirst(form) : form);
  if (isEverything && !isByTime) return { form: pageFirst(alongIndex), held };
  if (isEverything || isNarrow) return { form: skipping(alongIndex), held };
  if (throughParent !== undefined) return { form: skipping(gathered), held: behindParent(throughParent) };
  if (client === undefined) return { form: skipping(alongIndex), held };
  if (!isByTime || offset > 0) return { form: skipping(gathered), held };
  return { form: newest(client, add(sampleOf(clientAccess, limit))), held };
}

/**
 * Seen through `case`, conditions are no reason to expect few rows: where the planner expects few, it has the policy look
 * up the parent of each, and search the caller's clients for it.
 */
function behindParent(throughParent: string): Choice['held'] {
  return (conditions) => [
    throughParent,
    ...conditions.map((condition) => `case when ${condition} then true else false end`),
  ];
}

/** Along an index: that of the order, or of what the request names. */
const alongIndex: Form = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${whereAll(conditions)}
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
    ${whereAll(conditions)}
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

export function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
