import type { Parameter } from '../db/statement.ts';
import { UNLIMITED } from '../http/endpoint.ts';
import type { Caller } from '../identity/caller.ts';
import { WORD_INDEX_MIN_CLIENTS, LIST_SEARCH_ROWS, WORD_SEARCH_ROWS } from '../limits.ts';
import {
  alongIndex,
  gathered,
  nearFirst,
  newest,
  ofAll,
  ofClients,
  pageFirst,
  unknownLast,
  whereAll,
  type Form,
  type Found,
} from './list-forms.ts';

export interface Ownership {
  /** The column of the client; an index begins with it and goes on with the time of creation and the id. */
  readonly client?: string;
  /** For a table whose parent has the client: the condition that selects rows of the caller's parents. */
  readonly throughParent?: string;
  /** A narrow copy of the table with the client: the ids of a page are found in the copy, then its rows are read. */
  readonly copy?: string;
  readonly isClient?: true;
  /** Nullable columns that a partial index has behind the client. */
  readonly ofClient?: readonly string[];
  /** True for wide rows, where the index of the client has the sort columns: only the page's rows are read whole. */
  readonly isWide?: true;
}

interface ListRequest {
  /** The request has a filter by client, or one with an index that leaves few rows. */
  readonly isNarrow: boolean;
  /** The request has a filter without an index that may leave few of very many rows. */
  readonly isSparse: boolean;
  readonly isByTime: boolean;
  readonly found: (() => Found) | undefined;
  readonly isOfClient: boolean;
  readonly limit: number;
  readonly offset: number;
}

interface FormChoice {
  readonly form: Form;
  readonly held: (conditions: readonly string[]) => readonly string[];
}

/** Chooses the fast form for the caller's clients; docs/decisions/lists.md has the reasons. */
export function formFor(
  { client, throughParent, copy, isClient, isWide }: Ownership,
  { isNarrow, isSparse, isByTime, found, isOfClient, limit, offset }: ListRequest,
  { role, clientAccess }: Caller,
  add: (value: Parameter) => string,
): FormChoice {
  const isEverything = role === 'ADMIN' && clientAccess.length === 0;
  const held: FormChoice['held'] = (conditions) => conditions;
  // A CSV has all rows, so there is no page to find first.
  const isPage = limit !== UNLIMITED;
  const skipping = (form: Form): Form =>
    offset > 0 || (copy !== undefined && isPage) ? pageFirst(form) : form;
  if (isEverything && !isByTime && isPage) return { form: pageFirst(alongIndex), held };
  if (isEverything && isSparse && !isNarrow && offset === 0 && isPage)
    return {
      form: pageFirst(
        nearFirst(alongIndex, ofAll(found === undefined ? LIST_SEARCH_ROWS : WORD_SEARCH_ROWS), found?.()),
      ),
      held,
    };
  if (copy !== undefined && !isPage && !(isEverything && !isNarrow))
    return { form: gathered, held: (conditions) => [`r.id = any (array(${idsIn(copy, conditions)}))`] };
  if (isEverything || isNarrow) return { form: skipping(alongIndex), held };
  if (throughParent !== undefined)
    return { form: isPage ? pageFirst(gathered) : gathered, held: behindParent(throughParent) };
  if (isClient) return { form: skipping(gathered), held };
  if (client === undefined) return { form: skipping(alongIndex), held };
  if (isOfClient && offset === 0 && isPage)
    return { form: unknownLast(client, () => add(sampleOf(clientAccess, limit))), held };
  if (isWide && !isByTime && isPage) return { form: pageFirst(gathered), held };
  if (!isByTime || offset > 0 || !isPage) return { form: skipping(gathered), held };
  const some = sampleOf(clientAccess, limit);
  const sample = add(some);
  if (found === undefined || clientAccess.length <= WORD_INDEX_MIN_CLIENTS)
    return { form: skipping(newest(client, sample)), held };
  const near = add(Math.ceil((WORD_SEARCH_ROWS * some.length) / clientAccess.length));
  const bound = ofClients(client, sample, `(select ${near}::bigint)`);
  return { form: skipping(nearFirst(gathered, bound, found())), held };
}

const idsIn = (copy: string, conditions: readonly string[]): string =>
  `select r.id from ${copy} as r ${whereAll(conditions)}`;

/** `case` hides conditions from the planner, which would expect few rows and check the policy for each. */
function behindParent(throughParent: string): FormChoice['held'] {
  return (conditions) => [
    throughParent,
    ...conditions.map((condition) => `case when ${condition} then true else false end`),
  ];
}

/** A sample of the caller's clients, evenly spaced, which usually has enough rows for a page. */
function sampleOf(clients: readonly string[], limit: number): readonly string[] {
  const step = Math.max(1, Math.floor(clients.length / (16 + limit / 10)));
  return clients.filter((_, index) => index % step === 0);
}
