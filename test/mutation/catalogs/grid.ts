import type { Change } from './kinds.ts';

/**
 * Changes in a square, so that one query of the audit tries a whole row or column of the square. A reported fact belongs to a
 * change if both its row and its column report the fact. The diagonal is empty: a fact that a row and its diagonal column
 * share comes from several changes, and proves nothing.
 */
export interface Grid<C extends Change> {
  readonly rows: readonly (readonly C[])[];
  readonly columns: readonly (readonly C[])[];
}

/** The judge tries fewer changes than this one by one. */
const SMALLEST = 8;
const LARGEST = 30;

/** The number of changes in a square of this size. */
const places = (size: number): number => size * (size - 1);

/** The number of changes in the largest square. */
export const MOST = places(LARGEST);

/** Squares for the changes; fewer than SMALLEST changes get no square. */
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

/** The facts that both a row and a column report. */
export function shared(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((fact) => second.has(fact));
}
