import type { Change } from './kinds.ts';

/**
 * To save time, many changes of the database are tried together. Each change has a row and a column of a square. The
 * audit is queried once for each row, after all changes of the row were made, and once for each column. If the audit
 * reports the same fact for a change’s row and column, the change counts as reported. The diagonal of the square is
 * empty: a fact reported for row 3 and column 3 comes from several changes, so it proves nothing about any change.
 */
export interface Grid<C extends Change> {
  readonly rows: readonly (readonly C[])[];
  readonly columns: readonly (readonly C[])[];
}

/** With fewer changes of the database than this, the test tries each change alone instead of many together. */
const SMALLEST = 8;
const LARGEST = 30;

/**
 * How many changes of the database can be tried together in a square with this number of rows. The diagonal stays
 * empty.
 */
const places = (size: number): number => size * (size - 1);

export const MOST = places(LARGEST);

/**
 * Distributes changes of the database over squares, in which many changes are tried together. Fewer than SMALLEST
 * changes are tried one by one.
 */
export function inGrids<C extends Change>(mutants: readonly C[]): Grid<C>[] {
  if (mutants.length < SMALLEST) return [];
  let size = 1;
  while (size < LARGEST && places(size) < mutants.length) size += 1;
  return [gridOf(mutants.slice(0, places(size)), size), ...inGrids(mutants.slice(places(size)))];
}

function gridOf<C extends Change>(mutants: readonly C[], size: number): Grid<C> {
  const rows = Array.from({ length: size }, (): C[] => []);
  const columns = Array.from({ length: size }, (): C[] => []);
  for (const [index, mutant] of mutants.entries()) {
    const row = Math.floor(index / (size - 1));
    const place = index % (size - 1);
    rows[row]?.push(mutant);
    columns[place < row ? place : place + 1]?.push(mutant);
  }
  return { rows, columns };
}

export function inBoth(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((fact) => second.has(fact));
}
