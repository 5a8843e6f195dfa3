import type { Parameter } from '../db/statement.ts';
import { WHOLE } from '../http/endpoint.ts';
import type { Caller } from '../identity/caller.ts';
import { alongIndex, gathered, nearFirst, newest, pageFirst, unknownLast } from './list-forms.ts';
import type { Form } from './list-forms.ts';

/** How the rows of a caller's clients are found in a table. */
export interface Ownership {
  /** The column that holds the client; an index begins with it and goes on with the time of creation and the id. */
  readonly client?: string;
  /** Where a parent holds the client: the condition that leads from the caller's parents to the rows. */
  readonly throughParent?: string;
  /** Where a row is a client itself. */
  readonly isClient?: true;
  /** The columns that may be null and that an index has behind the client, where they are not. */
  readonly ofClient?: readonly string[];
  /** Where rows are wide, and the index of their client has what they are sorted by: of the others no more is read. */
  readonly isWide?: true;
}

/** What the choice of a form depends on. */
interface Asked {
  /** Whether the request names a client, or what few rows have and an index finds. */
  readonly isNarrow: boolean;
  /** Whether the request names what few of very many rows may have, and no index finds. */
  readonly isSparse: boolean;
  /** Whether the order is the one that indexes have. */
  readonly isByTime: boolean;
  /** Whether the order is by one of `ofClient` alone. */
  readonly isOfClient: boolean;
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
  { client, throughParent, isClient, isWide }: Ownership,
  { isNarrow, isSparse, isByTime, isOfClient, limit, offset }: Asked,
  { role, clientAccess }: Caller,
  add: (value: Parameter) => string,
): Choice {
  const isEverything = role === 'ADMIN' && clientAccess.length === 0;
  const held: Choice['held'] = (conditions) => conditions;
  const skipping = (form: Form): Form => (offset > 0 ? pageFirst(form) : form);
  // Nothing is gained by looking for a page where all are wanted.
  const isPage = limit !== WHOLE;
  if (isEverything && !isByTime && isPage) return { form: pageFirst(alongIndex), held };
  if (isEverything && isSparse && !isNarrow && offset === 0 && isPage)
    return { form: pageFirst(nearFirst), held };
  if (isEverything || isNarrow) return { form: skipping(alongIndex), held };
  if (throughParent !== undefined) return { form: skipping(gathered), held: behindParent(throughParent) };
  if (isClient) return { form: skipping(gathered), held };
  if (client === undefined) return { form: skipping(alongIndex), held };
  if (isOfClient && offset === 0 && isPage)
    return { form: unknownLast(client, () => add(sampleOf(clientAccess, limit))), held };
  if (isWide && !isByTime && isPage) return { form: pageFirst(gathered), held };
  if (!isByTime || offset > 0 || !isPage) return { form: skipping(gathered), held };
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

/** Evenly from all of the caller's clients; enough to have a page among them, as a rule. */
function sampleOf(clients: readonly string[], limit: number): readonly string[] {
  const step = Math.max(1, Math.floor(clients.length / (16 + limit / 10)));
  return clients.filter((_, index) => index % step === 0);
}
