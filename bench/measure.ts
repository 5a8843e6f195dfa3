/** A piece of work whose duration a benchmark compares with that of other work; `run` does the work once. */
export interface Contender {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** The clock that measures the work of a benchmark, in milliseconds; the wall clock if absent. */
  readonly clock?: () => number;
}

/**
 * The milliseconds above which a benchmark repeats a piece of work less often, because the median of long times is
 * stable.
 */
const LONG_MS = 400;

/**
 * Returns for each piece of work the median of its times in milliseconds. The pieces of work take turns, so that other
 * load of the machine affects all of them. The first rounds prepare statements and choose plans, so they do not count.
 */
export async function medians(contenders: readonly Contender[], rounds = 21): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -8; round < rounds; round += 1) {
    for (const { name, run, clock = () => performance.now() } of contenders) {
      const taken = times.get(name) ?? [];
      if (round % 6 !== 0 && isLong(taken)) continue;
      const start = clock();
      await run();
      const ms = clock() - start;
      if (round >= 0 || ms > LONG_MS) taken.push(ms);
    }
  }
  return new Map([...times].map(([name, taken]) => [name, median(taken)]));
}

/** Returns a Markdown table whose first column has texts and whose other columns have numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/**
 * Writes a number with two significant digits, because the median of a few runs is not exact enough for more digits.
 */
export function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function isLong(taken: readonly number[]): boolean {
  return taken.some((ms) => ms > LONG_MS);
}
