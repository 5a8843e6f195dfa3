import type { Fault, Result } from './fault.ts';

/**
 * One row in the table of deploy:check: a failure of a part, and what was measured meanwhile. Nothing was measured if
 * the failure could not be caused.
 */
export interface Row {
  readonly fault: Fault;
  readonly result: Result | undefined;
}

const TITLES = ['part', 'fault', 'requests', 'failed', 'lost', 'stale', 'foreign', 'back after'];
/** So many columns at the beginning of deploy:check’s table contain words. The other columns contain numbers. */
const WORDS = 2;

/** Returns the table that deploy:check prints, with one line for each failure that it caused. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [TITLES, ...rows.map(cellsOf)];
  const widths = TITLES.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const padded = (cell: string, column: number): string =>
    column < WORDS ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
}

function cellsOf({ fault: { part, fault }, result }: Row): string[] {
  if (result === undefined) return [part, fault, ...TITLES.slice(WORDS).map(() => '-')];
  const { requests, failed, lost, stale, foreign, backAfterMs } = result;
  const counts = [requests, failed, lost, stale, foreign].map(String);
  return [part, fault, ...counts, `${(backAfterMs / 1000).toFixed(1)} s`];
}
