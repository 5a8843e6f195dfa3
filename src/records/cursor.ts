import { RequestError } from '../errors.ts';
import type { Rec } from './record.ts';

/** The cursor of a record holds its list, its order, what it is sorted by, and its id. */
export function cursorOf({ table, columns }: Rec, sort: string, sorted: string) {
  const names = Object.keys(columns);
  const [value, id] = [names.indexOf(sorted), names.indexOf('id')];
  return {
    of: (row: readonly (string | null)[]): string => JSON.stringify([table, sort, row[value], row[id]]),
    read: (cursor: string): readonly [value: string, id: string] => {
      const [list, order, ...last] = parsed(cursor);
      if (
        list === table &&
        order === sort &&
        last.length === 2 &&
        last.every((part) => typeof part === 'string')
      )
        return last as [string, string];
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
