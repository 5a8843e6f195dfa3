import { validationError } from '../errors.ts';
import { rule } from '../problems.ts';
import { spelling, type Orders } from './order.ts';
import type { Rec } from './record.ts';

type SortValue = string | null | undefined;

/** In a row, the names of other records by which the list sorts come after the record's own columns. */
export function cursorOf(
  { table, columns }: Rec,
  sort: string,
  orders: Orders,
  named: readonly string[] = [],
) {
  const names = [...Object.keys(columns), ...named];
  const places = [...orders.map(({ column }) => column), 'id'].map((column) => names.indexOf(column));
  const which = [table, sort, ...spelling(orders)];
  const { of, read } = cursorBehind(which, [...orders.map(({ hasNulls }) => hasNulls), false]);
  return { of: (row: readonly SortValue[]): string => of(places.map((place) => row[place])), read };
}

/** A cursor holds the last row's values in the columns of the order. `mayBeNull` has an entry for each. */
export function cursorBehind(which: readonly string[], mayBeNull: readonly boolean[]) {
  const isValue = (part: unknown, index: number): boolean =>
    typeof part === 'string' || (part === null && mayBeNull[index] === true);
  return {
    of: (last: readonly SortValue[]): string => JSON.stringify([...which, ...last]),
    read: (cursor: string): readonly (string | null)[] => {
      const said = parsed(cursor);
      const last = said.slice(which.length);
      const isOfIt = which.every((part, index) => said[index] === part);
      if (isOfIt && last.length === mayBeNull.length && last.every(isValue)) return last as (string | null)[];
      throw validationError('after', rule('not_a_cursor.list'));
    },
  };
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(cursor);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
