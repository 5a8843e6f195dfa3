import type { Parameter } from '../db/statement.ts';
import { UNLIMITED } from '../http/endpoint.ts';
import type { Caller } from '../identity/caller.ts';
import { WORD_INDEX_MIN_CLIENTS, LIST_SEARCH_ROWS, WORD_SEARCH_ROWS } from '../limits.ts';
import {
  readInIndexOrder,
  sortAfterReading,
  recentRowsFirst,
  newestOfSample,
  boundOfEverybody,
  boundOfSample,
  idsFirst,
  nullsLast,
  whereClause,
  type SelectForm,
  type WordSearch,
} from './list-forms.ts';

export interface Ownership {
  /** The column of the client. An index has this column, the time of creation and the id, in this order. */
  readonly client?: string;
  /** For a table whose parent has the client: the condition that selects rows of the caller's parents. */
  readonly throughParent?: string;
  /** A narrow copy of the table with the client: the ids of a page are found in the copy, then its rows are read. */
  readonly narrowCopy?: string;
  readonly isClient?: true;
  /** Nullable columns that a partial index has after the client. */
  readonly clientIndexColumns?: readonly string[];
  /** True for wide rows, where the index of the client has the sort columns: only the page's rows are read whole. */
  readonly isWide?: true;
}

interface ListRequest {
  /** True if the request filters by client, or has a filter with an index that leaves few rows. */
  readonly isNarrow: boolean;
  /** True if the request has a filter without an index, which may leave few of very many rows. */
  readonly isSparse: boolean;
  readonly isByTime: boolean;
  readonly found: (() => WordSearch) | undefined;
  readonly isSortedByClientIndex: boolean;
  readonly limit: number;
  readonly offset: number;
}

interface FormChoice {
  readonly form: SelectForm;
  readonly wrapConditions: (conditions: readonly string[]) => readonly string[];
}

/** Chooses the fast form for the caller's clients; docs/decisions/lists.md has the reasons. */
export function chooseSelectForm(
  { client, throughParent, narrowCopy, isClient, isWide }: Ownership,
  { isNarrow, isSparse, isByTime, found, isSortedByClientIndex, limit, offset }: ListRequest,
  { role, clientAccess }: Caller,
  add: (value: Parameter) => string,
): FormChoice {
  const seesEverything = role === 'ADMIN' && clientAccess.length === 0;
  const wrapConditions: FormChoice['wrapConditions'] = (conditions) => conditions;
  // A CSV has all rows, so there is no page to find first.
  const isPage = limit !== UNLIMITED;
  const withOffset = (form: SelectForm): SelectForm =>
    offset > 0 || (narrowCopy !== undefined && isPage) ? idsFirst(form) : form;
  if (seesEverything && !isByTime && isPage) return { form: idsFirst(readInIndexOrder), wrapConditions };
  if (seesEverything && isSparse && !isNarrow && offset === 0 && isPage)
    return {
      form: idsFirst(
        recentRowsFirst(
          readInIndexOrder,
          boundOfEverybody(found === undefined ? LIST_SEARCH_ROWS : WORD_SEARCH_ROWS),
          found?.(),
        ),
      ),
      wrapConditions,
    };
  if (narrowCopy !== undefined && !isPage && !(seesEverything && !isNarrow))
    return {
      form: sortAfterReading,
      wrapConditions: (conditions) => [`r.id = any (array(${selectIds(narrowCopy, conditions)}))`],
    };
  if (seesEverything || isNarrow) return { form: withOffset(readInIndexOrder), wrapConditions };
  if (throughParent !== undefined)
    return {
      form: isPage ? idsFirst(sortAfterReading) : sortAfterReading,
      wrapConditions: parentConditionFirst(throughParent),
    };
  if (isClient) return { form: withOffset(sortAfterReading), wrapConditions };
  if (client === undefined) return { form: withOffset(readInIndexOrder), wrapConditions };
  if (isSortedByClientIndex && offset === 0 && isPage)
    return { form: nullsLast(client, () => add(sampleClients(clientAccess, limit))), wrapConditions };
  if (isWide && !isByTime && isPage) return { form: idsFirst(sortAfterReading), wrapConditions };
  if (!isByTime || offset > 0 || !isPage) return { form: withOffset(sortAfterReading), wrapConditions };
  const sampledClients = sampleClients(clientAccess, limit);
  const sample = add(sampledClients);
  if (found === undefined || clientAccess.length <= WORD_INDEX_MIN_CLIENTS)
    return { form: withOffset(newestOfSample(client, sample)), wrapConditions };
  const neededRows = add(Math.ceil((WORD_SEARCH_ROWS * sampledClients.length) / clientAccess.length));
  const bound = boundOfSample(client, sample, `(select ${neededRows}::bigint)`);
  return { form: withOffset(recentRowsFirst(sortAfterReading, bound, found())), wrapConditions };
}

const selectIds = (copy: string, conditions: readonly string[]): string =>
  `select r.id from ${copy} as r ${whereClause(conditions)}`;

/** `case` hides conditions from the planner, which would expect few rows and check the policy for each. */
function parentConditionFirst(throughParent: string): FormChoice['wrapConditions'] {
  return (conditions) => [
    throughParent,
    ...conditions.map((condition) => `case when ${condition} then true else false end`),
  ];
}

/** A sample of the caller's clients, evenly spaced, which usually has enough rows for a page. */
function sampleClients(clients: readonly string[], limit: number): readonly string[] {
  const step = Math.max(1, Math.floor(clients.length / (16 + limit / 10)));
  return clients.filter((_, index) => index % step === 0);
}
