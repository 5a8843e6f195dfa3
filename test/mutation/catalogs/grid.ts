import type { Change } from './kinds.ts';

/**
 * A test tries many changes of the database with few queries of the audit: the changes stand in a square, and the audit
 * is queried once after all changes of a row, and once after all changes of a column. A change counts as reported if
 * the queries of its row and of its column report the same fact. The diagonal of the square has no change. A fact that
 * is reported for a row and for the column of the same number therefore comes from several changes, and proves nothing.
 */
export interface Grid<C extends Change> {
  readonly rows: readonly (readonly C[])[];
  readonly columns: readonly (readonly C[])[];
}

/**
 * If there are fewer changes of the database than this, the test tries each change alone, and not many at once in a
 * square.
 */
const SMALLEST = 8;
const LARGEST = 30;

/** How many changes of the database fit into a square with the given number of rows, whose diagonal stays empty. */
const places = (size: number): number => size * (size - 1);

/** How many changes of the database fit into the largest square. */
export const MOST = places(LARGEST);

/**
 * Distributes changes of the database over squares, in which they are tried together. Fewer than SMALLEST changes get
 * no square.
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

/**
 * Returns the facts that the audit reports both after all changes of a row of the square and after all changes of a
 * column.
 */
export function shared(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((fact) => second.has(fact));
}
