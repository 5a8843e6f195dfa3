import type { Change } from './kinds.ts';

/**
 * A square of test changes, so that one query of the audit tries all changes of a row or of a column at once. A change
 * counts as reported if the queries of its row and of its column report the same fact. No change is on the diagonal,
 * because a fact that a row shares with the column of the same number comes from several changes, and proves nothing.
 */
export interface Grid<C extends Change> {
  readonly rows: readonly (readonly C[])[];
  readonly columns: readonly (readonly C[])[];
}

/** The number of test changes below which the proof mutation tries each change alone, and not in a square. */
const SMALLEST = 8;
const LARGEST = 30;

/** The number of test changes that a square with the given number of rows holds. */
const places = (size: number): number => size * (size - 1);

/** The number of test changes that the largest square holds. */
export const MOST = places(LARGEST);

/** Distributes the test changes over squares. Fewer than SMALLEST changes get no square. */
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

/** The facts of the audit that both a row and a column of a square of test changes report. */
export function shared(first: ReadonlySet<string>, second: ReadonlySet<string>): string[] {
  return [...first].filter((fact) => second.has(fact));
}
