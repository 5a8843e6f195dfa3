import type { Caller } from '../identity/caller.ts';

/** The pieces of a list's statement. */
interface Parts {
  readonly columns: string;
  readonly from: string;
  readonly conditions: readonly string[];
  readonly order: string;
  /** Parameters of type bigint; no offset where nothing is skipped. */
  readonly limit: string;
  readonly offset: string | undefined;
}

type Form = (parts: Parts) => string;

/** The form that is fast for a caller with these clients; docs/decisions/lists.md has the reasons. */
export function formFor({
  client,
  isNarrow,
  sort,
  caller: { role, clientAccess },
}: {
  readonly client: string | undefined;
  readonly isNarrow: boolean;
  readonly sort: string;
  readonly caller: Caller;
}): Form {
  const everything = role === 'ADMIN' && clientAccess.length === 0;
  if (client === undefined || everything || isNarrow) return alongIndex;
  return client.startsWith('r.') && sort.endsWith('created_at') ? newestOfEach(client) : allSorted(client);
}

/** Along an index: that of the order, or of what the request names. */
const alongIndex: Form = ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from ${from}
${where(conditions)}
${order}
${limited(page)}`;

/**
 * The newest of each of the caller's clients, merged, and only then their rows. Under a policy alone the planner
 * would walk the newest of everybody's and discard. Nothing but columns of the index may be selected inside.
 */
function newestOfEach(client: string): Form {
  return ({ columns, from, conditions, order, limit, offset }) => `
select ${columns}
from (
    select r.id
    from unnest((select app.client_access())) as c (id)
    cross join lateral (
        select r.id, r.created_at
        from ${from}
        ${where([`${client} = c.id`, ...conditions])}
        ${order}
        limit ${offset === undefined ? limit : `${limit}::bigint + ${offset}::bigint`}
    ) r
    ${order}
    ${limited({ limit, offset })}
) page, ${from}
where r.id = page.id
${order}`;
}

/** All of the caller's rows, from the clients on, then put in order. */
function allSorted(client: string): Form {
  return ({ columns, from, conditions, order, ...page }) => `
select ${columns}
from unnest((select app.client_access())) as c (id), ${from}
${where([`${client} = c.id`, ...conditions])}
${order}
${limited(page)}`;
}

function limited({ limit, offset }: Pick<Parts, 'limit' | 'offset'>): string {
  return offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
