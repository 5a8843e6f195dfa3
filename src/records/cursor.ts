import { validationError } from '../errors.ts';
import { rule } from '../problems.ts';
import { listCursorCollations, type SortOrders } from './order.ts';
import type { RecordDefinition } from './record.ts';

type SortValue = string | null | undefined;

/** A result row has the record's own columns first, then the names of other records by which the list is sorted. */
export function createListCursor(
  { table, columns }: RecordDefinition,
  sort: string,
  orders: SortOrders,
  named: readonly string[] = [],
) {
  const rowColumnNames = [...Object.keys(columns), ...named];
  const sortColumnIndexes = [...orders.map(({ column }) => column), 'id'].map((column) =>
    rowColumnNames.indexOf(column),
  );
  const cursorScope = [table, sort, ...listCursorCollations(orders)];
  const { of, read } = createCursorFormat(cursorScope, [...orders.map(({ hasNulls }) => hasNulls), false]);
  return {
    of: (row: readonly SortValue[]): string => of(sortColumnIndexes.map((place) => row[place])),
    read,
  };
}

/**
 * A cursor contains the sort values of the last row of a page. `mayBeNull` says for each sort value whether null is
 * valid.
 */
export function createCursorFormat(scope: readonly string[], mayBeNull: readonly boolean[]) {
  const isSortValue = (part: unknown, index: number): boolean =>
    typeof part === 'string' || (part === null && mayBeNull[index] === true);
  return {
    of: (lastValues: readonly SortValue[]): string => JSON.stringify([...scope, ...lastValues]),
    read: (cursor: string): readonly (string | null)[] => {
      const cursorParts = parseCursorArray(cursor);
      const lastValues = cursorParts.slice(scope.length);
      const isSameScope = scope.every((part, index) => cursorParts[index] === part);
      if (isSameScope && lastValues.length === mayBeNull.length && lastValues.every(isSortValue))
        return lastValues as (string | null)[];
      throw validationError('after', rule('not_a_cursor.list'));
    },
  };
}

function parseCursorArray(cursor: string): unknown[] {
  try {
    const parsedCursor: unknown = JSON.parse(cursor);
    return Array.isArray(parsedCursor) ? parsedCursor : [];
  } catch {
    return [];
  }
}
