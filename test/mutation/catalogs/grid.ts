import type { CatalogMutant } from './kinds.ts';

/**
 * Mutants laid out in a square, so that many are asked about at once: what every row of the square and every column
 * of it changes is asked once, and one mutant's doing is what both its row and its column have. On the diagonal stand
 * places that change nothing: where something seems to be one's doing, the square tells mutants apart no longer.
 */
export interface Grid {
  readonly rows: readonly (readonly CatalogMutant[])[];
  readonly columns: readonly (readonly CatalogMutant[])[];
  readonly size: number;
}

/** Fewer than that are judged one by one. */
export const SMALLEST = 12;
const LARGEST = 20;

/** So many mutants fill a square of this size. */
const filling = (size: number): number => size * (size - 1);

/** Squares as large as there are mutants for, and what is left. */
export function inGrids(mutants: readonly CatalogMutant[]): {
  grids: Grid[];
  rest: readonly CatalogMutant[];
} {
  const grids: Grid[] = [];
  let rest = mutants;
  while (rest.length >= SMALLEST) {
    let size = 4;
    while (size < LARGEST && filling(size + 1) <= rest.length) size += 1;
    grids.push(gridOf(rest.slice(0, filling(size)), size));
    rest = rest.slice(filling(size));
  }
  return { grids, rest };
}

function gridOf(mutants: readonly CatalogMutant[], size: number): Grid {
  const rows = Array.from({ length: size }, (): CatalogMutant[] => []);
  const columns = Array.from({ length: size }, (): CatalogMutant[] => []);
  for (const [index, mutant] of mutants.entries()) {
    const row = Math.floor(index / (size - 1));
    const place = index % (size - 1);
    rows[row]?.push(mutant);
    columns[place < row ? place : place + 1]?.push(mutant);
  }
  return { rows, columns, size };
}

/** What is said of a mutant: nothing, or what both the row and the column that it stands in have. */
export function shared(first: ReadonlySet<string>, second: ReadonlySet<string>): boolean {
  for (const fact of first) if (second.has(fact)) return true;
  return false;
}
