import { validationError } from '../errors.ts';
import { rule } from '../problems.ts';
import { appendIdOrder, listCursorCollations, type SortOrders } from './order.ts';
import type { RecordDefinition } from './record.ts';

type SortValue = string | null | undefined;

/** A result row has the record's own columns first, then the names of other records by which the list is sorted. */
export function createListCursor(
  { table, columns }: RecordDefinition,
  sort: string,
  orders: SortOrders,
  named: readonly string[] = [],
) {
  const names = [...Object.keys(columns), ...named];
  const all = appendIdOrder(orders);
  const places = all.map(({ column }) => names.indexOf(column));
  const scope = [table, sort, ...listCursorCollations(orders)];
  const { of, read } = createCursorFormat(
    scope,
    all.map(({ hasNulls }) => hasNulls),
  );
  return { of: (row: readonly SortValue[]): string => of(places.map((place) => row[place])), read };
}

/** A cursor contains the sort values of a page's last row; `mayBeNull` says for each whether null is valid. */
export function createCursorFormat(scope: readonly string[], mayBeNull: readonly boolean[]) {
  const isSortValue = (part: unknown, index: number): boolean =>
    typeof part === 'string' || (part === null && mayBeNull[index] === true);
  return {
    of: (values: readonly SortValue[]): string => JSON.stringify([...scope, ...values]),
    read: (cursor: string): readonly (string | null)[] => {
      const parts = parseCursor(cursor);
      const values = parts.slice(scope.length);
      const isSameScope = scope.every((part, index) => parts[index] === part);
      if (isSameScope && values.length === mayBeNull.length && values.every(isSortValue))
        return values as (string | null)[];
      throw validationError('after', rule('not_a_cursor.list'));
    },
  };
}

function parseCursor(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(cursor);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
