import { UNLIMITED_ROWS } from '../http/endpoint.ts';
import type { Caller } from '../identity/caller.ts';
import { WORD_INDEX_MIN_CLIENTS, LIST_SEARCH_ROWS, WORD_SEARCH_ROWS } from '../limits.ts';
import {
  readInOrder,
  readThenSort,
  searchRecentRowsFirst,
  selectNewestOfSample,
  boundByRows,
  boundBySample,
  selectIdsFirst,
  selectNullsLast,
  buildWhereClause,
  type SelectForm,
  type WordSearch,
} from './list-forms.ts';
import type { AddParameter } from './parameters.ts';

export interface TableOwnership {
  /** The column with the client's id; the table has an index on this column, the time of creation and the id. */
  readonly client?: string;
  /** For a table without the client's id: the SQL condition that a row's parent is one of the caller's clients'. */
  readonly throughParent?: string;
  /** A copy of the table with few columns, among them the client's id, in which a list finds the ids of a page. */
  readonly narrowCopy?: string;
  readonly isClient?: true;
  /** Nullable columns by which a list can be sorted; each has a partial index on the client's id and the column. */
  readonly clientIndexColumns?: readonly string[];
  /** True for a table with wide rows: a list sorts index entries and reads whole rows only for the page. */
  readonly isWide?: true;
}

export interface ListRequest {
  /** True if the request filters by client, or by another indexed column with few rows for each value. */
  readonly isNarrow: boolean;
  /** True if no index supports the request's filters, which may match only few of very many rows. */
  readonly isSparse: boolean;
  readonly isByTime: boolean;
  readonly found: (() => WordSearch) | undefined;
  readonly isSortedByClientIndex: boolean;
  readonly limit: number;
  readonly offset: number;
}

interface SelectChoice {
  readonly form: SelectForm;
  readonly wrap: (conditions: readonly string[]) => readonly string[];
}

/** Chooses the fastest SQL for a list, given the filters and the caller's number of clients; docs/decisions/lists.md */
export function chooseSelectForm(
  { client, throughParent, narrowCopy, isClient, isWide }: TableOwnership,
  { isNarrow, isSparse, isByTime, found, isSortedByClientIndex, limit, offset }: ListRequest,
  { role, clientAccess }: Caller,
  add: AddParameter,
): SelectChoice {
  const seesAll = role === 'ADMIN' && clientAccess.length === 0;
  const wrap: SelectChoice['wrap'] = (conditions) => conditions;
  // A CSV export returns the whole list, not a page.
  const isPage = limit !== UNLIMITED_ROWS;
  const idsFirst = (form: SelectForm): SelectForm =>
    offset > 0 || (narrowCopy !== undefined && isPage) ? selectIdsFirst(form) : form;
  if (seesAll && !isByTime && isPage) return { form: selectIdsFirst(readInOrder), wrap };
  if (seesAll && isSparse && !isNarrow && offset === 0 && isPage)
    return {
      form: selectIdsFirst(
        searchRecentRowsFirst(
          readInOrder,
          boundByRows(found === undefined ? LIST_SEARCH_ROWS : WORD_SEARCH_ROWS),
          found?.(),
        ),
      ),
      wrap,
    };
  if (narrowCopy !== undefined && !isPage && !(seesAll && !isNarrow))
    return {
      form: readThenSort,
      wrap: (conditions) => [`r.id = any (array(${buildIdSelect(narrowCopy, conditions)}))`],
    };
  if (seesAll || isNarrow) return { form: idsFirst(readInOrder), wrap };
  if (throughParent !== undefined)
    return { form: isPage ? selectIdsFirst(readThenSort) : readThenSort, wrap: putParentConditionFirst(throughParent) };
  if (isClient) return { form: idsFirst(readThenSort), wrap };
  if (client === undefined) return { form: idsFirst(readInOrder), wrap };
  if (isSortedByClientIndex && offset === 0 && isPage)
    return { form: selectNullsLast(client, () => add(pickSampleClients(clientAccess, limit))), wrap };
  if (isWide && !isByTime && isPage) return { form: selectIdsFirst(readThenSort), wrap };
  if (!isByTime || offset > 0 || !isPage) return { form: idsFirst(readThenSort), wrap };
  const sample = pickSampleClients(clientAccess, limit);
  const sampled = add(sample);
  if (found === undefined || clientAccess.length <= WORD_INDEX_MIN_CLIENTS)
    return { form: idsFirst(selectNewestOfSample(client, sampled)), wrap };
  const needed = add(Math.ceil((WORD_SEARCH_ROWS * sample.length) / clientAccess.length));
  const bound = boundBySample(client, sampled, `(select ${needed}::bigint)`);
  return { form: idsFirst(searchRecentRowsFirst(readThenSort, bound, found())), wrap };
}

const buildIdSelect = (copy: string, conditions: readonly string[]): string =>
  `select r.id from ${copy} as r ${buildWhereClause(conditions)}`;

/** `case` hides the filters from the planner, which would expect few rows and check the row policy for each parent. */
function putParentConditionFirst(throughParent: string): SelectChoice['wrap'] {
  return (conditions) => [
    throughParent,
    ...conditions.map((condition) => `case when ${condition} then true else false end`),
  ];
}

/** Picks evenly spaced clients of the caller, so many that together they usually have enough rows for a page. */
function pickSampleClients(clients: readonly string[], limit: number): readonly string[] {
  const step = Math.max(1, Math.floor(clients.length / (16 + limit / 10)));
  return clients.filter((_, index) => index % step === 0);
}
