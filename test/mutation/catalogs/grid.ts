import type { Change } from './kinds.ts';

/**
 * To save time, many changes of the database are tried together in a square. The audit is queried once after all
 * changes of each row, and once after all changes of each column. A change counts as reported if its row and its column
 * report the same fact. No change is on the diagonal of the square. A fact that row 3 and column 3 both report
 * therefore comes from several changes and is ignored.
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
 * Places changes of the database in square grids: the changes of a row or of a column are tried together. Fewer than
 * SMALLEST changes are in no grid, because they are tried one by one.
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
