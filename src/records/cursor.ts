import { RequestError } from '../errors.ts';
import type { Orders } from './order.ts';
import type { Rec } from './record.ts';

/** The cursor of a record holds its list, its order, what it is sorted by, and its id. */
export function cursorOf({ table, columns }: Rec, sort: string, orders: Orders) {
  const names = Object.keys(columns);
  const places = [...orders.map(({ column }) => column), 'id'].map((column) => names.indexOf(column));
  const mayBe = (part: unknown, index: number): boolean =>
    typeof part === 'string' || (part === null && orders[index]?.hasNulls === true);
  return {
    of: (row: readonly (string | null)[]): string =>
      JSON.stringify([table, sort, ...places.map((place) => row[place])]),
    /** The values of the columns of the order, and the id. */
    read: (cursor: string): readonly (string | null)[] => {
      const [list, order, ...last] = parsed(cursor);
      if (list === table && order === sort && last.length === places.length && last.every(mayBe))
        return last as (string | null)[];
      throw new RequestError('ERROR_VALIDATION', 'after is no cursor of this list', {
        details: { after: 'must be the cursor of a Link header of the same list in the same order' },
      });
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
