import type { Change } from './kinds.ts';

/**
 * Mutants laid out in a square, so that many are asked about at once: what every row of the square and every column
 * of it changes is asked once, and one mutant's doing is what both its row and its column have. On the diagonal stands
 * nothing: what a row and a column have there all the same is the doing of several, and speaks for none.
 */
export interface Grid<C extends Change> {
  readonly rows: readonly (readonly C[])[];
  readonly columns: readonly (readonly C[])[];
}

/** Fewer than that are judged one by one. */
const SMALLEST = 8;
const LARGEST = 30;

/** So many mutants have a place in a square of this size. */
const places = (size: number): number => size * (size - 1);

/** How many mutants fill the largest square. */
export const MOST = places(LARGEST);

/** Squares that hold all, or none where there are too few to fill one. */
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

/** What both a row and a column have. */
export function shared(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((fact) => second.has(fact));
}
