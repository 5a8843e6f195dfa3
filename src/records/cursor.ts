import { invalid } from '../errors.ts';
import { spelling, type Orders } from './order.ts';
import type { Rec } from './record.ts';

type Value = string | null | undefined;

export function cursorOf({ table, columns }: Rec, sort: string, orders: Orders) {
  const names = Object.keys(columns);
  const places = [...orders.map(({ column }) => column), 'id'].map((column) => names.indexOf(column));
  const which = [table, sort, ...spelling(orders)];
  const { of, read } = cursorBehind(which, [...orders.map(({ hasNulls }) => hasNulls), false]);
  return { of: (row: readonly Value[]): string => of(places.map((place) => row[place])), read };
}

/** A cursor holds the last row's values in the columns of the order. `mayBeNull` has an entry for each. */
export function cursorBehind(which: readonly string[], mayBeNull: readonly boolean[]) {
  const isValue = (part: unknown, index: number): boolean =>
    typeof part === 'string' || (part === null && mayBeNull[index] === true);
  return {
    of: (last: readonly Value[]): string => JSON.stringify([...which, ...last]),
    read: (cursor: string): readonly (string | null)[] => {
      const said = parsed(cursor);
      const last = said.slice(which.length);
      const isOfIt = which.every((part, index) => said[index] === part);
      if (isOfIt && last.length === mayBeNull.length && last.every(isValue)) return last as (string | null)[];
      throw invalid('after', 'must be the cursor of a Link header of the same list in the same order');
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
