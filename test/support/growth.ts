/* This module measures whether the processor time of some work grows faster than the length of its input. */

/**
 * If the work on the large input takes less processor time than this, in milliseconds, the test accepts the work.
 * Quadratic work on such an input takes seconds.
 */
const LITTLE_MS = 25;
/**
 * How many times longer the large input of a measurement is than the small one. Linear work takes 8 times as long for
 * the large input, quadratic work 64 times.
 */
const FACTOR = 8;
const MOST = FACTOR ** 1.5;
const TRIALS = 5;
const AGAIN = 3;

export type Feed = (length: number) => unknown;

/**
 * Measures whether the processor time of some work grows too fast with its input, and describes the growth; returns
 * undefined if it is slow enough. A bad measurement is repeated, because the garbage collection of earlier work also
 * takes processor time.
 */
export async function excessiveGrowth(feed: Feed, length: number): Promise<string | undefined> {
  let found = await measured(feed, length);
  for (let again = 0; again < AGAIN && found !== undefined; again += 1) found = await measured(feed, length);
  return found;
}

async function measured(feed: Feed, length: number): Promise<string | undefined> {
  const large = await leastOf(feed, length);
  if (large < LITTLE_MS) return undefined;
  const small = await leastOf(feed, Math.floor(length / FACTOR));
  const ratio = large / Math.max(small, 0.01);
  return ratio < MOST ? undefined : `${large.toFixed()} ms for ${length}, ${ratio.toFixed()} times an eighth's`;
}

/**
 * Returns the least processor time of several trials of the measured work, because other work of the process only adds
 * time.
 */
async function leastOf(feed: Feed, length: number): Promise<number> {
  let least = Infinity;
  for (let trial = 0; trial < TRIALS && least >= LITTLE_MS; trial += 1) {
    const before = process.cpuUsage();
    await feed(length);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Short texts whose repetition makes some parsers backtrack. */
const UNITS = [
  ...[' ', '\t', '0', '1', 'a', 'é', '"', '\\', ',', ';', ':', '/', '.', '-', '=', '&', '%', '@', '[', '{'],
  ...['a ', ' ,', '",', '"a",', 'W/"a"', 'W/', '\\"', '[1,', '{"a":', 'a=b;', 'a="', 'a@', 'a.', '.a', '1-', ']:1'],
  ...['%41', 'a&', 'a=1&', '../', '1.2.3.4,', '2001:db8::', 'eyJ', '10', '1e', '2026-12-31T'],
];
const ENDS = ['', '!'];

/**
 * Generates long texts against which parsers are tested: each has one beginning, one repeated unit such as `"a",`, and
 * one end.
 */
export function* hostileTexts(
  ...beginnings: readonly string[]
): Generator<[name: string, of: (length: number) => string]> {
  for (const beginning of ['', ...beginnings])
    for (const unit of UNITS)
      for (const end of ENDS)
        yield [
          JSON.stringify([beginning, unit, end]),
          (length) => beginning + unit.repeat(Math.max(0, length - beginning.length - end.length) / unit.length) + end,
        ];
}
