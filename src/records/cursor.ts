import { RequestError } from '../errors.ts';
import type { Rec } from './record.ts';

type Value = string | null | undefined;

/** The cursor of a record holds its list, its order, what it is sorted by, and its id. */
export function cursorOf({ table, columns }: Rec, sort: string, sorted: string) {
  const names = Object.keys(columns);
  const [value, id] = [names.indexOf(sorted), names.indexOf('id')];
  const { of, read } = cursorBehind([table, sort], 2);
  return {
    of: (row: readonly Value[]): string => of([row[value], row[id]]),
    read: (cursor: string) => read(cursor) as [value: string, id: string],
  };
}

/** A cursor that holds which list in which order it is of, and the last row's values of that order, so many. */
export function cursorBehind(which: readonly string[], width: number) {
  return {
    of: (last: readonly Value[]): string => JSON.stringify([...which, ...last]),
    read: (cursor: string): readonly string[] => {
      const said = parsed(cursor);
      const last = said.slice(which.length);
      if (
        which.every((part, index) => said[index] === part) &&
        last.length === width &&
        last.every((part) => typeof part === 'string')
      )
        return last;
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
