/* Whether work grows as the input does. Processor time of this process, so that other processes hardly count. */

/** Below this nobody is held up, whatever the curve: a square of such a length takes seconds. */
const LITTLE_MS = 25;
/** Eight times the input: eight times the work, were it linear, and 64 times, were it a square. */
const FACTOR = 8;
const MOST = FACTOR ** 1.5;
const TRIALS = 5;
const AGAIN = 3;

export type Feed = (length: number) => unknown;

/**
 * What is wrong with the growth of this work up to a length; undefined where nothing is. It is measured again before it is
 * said: what the process collects of the work before counts as well, and what grows too fast does so every time.
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

/** The least of some trials: what else the process does only adds to one. One that is cheap is enough. */
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

/** Long texts of few kinds, which parsers go back and forth in. */
const UNITS = [
  ...[' ', '\t', '0', '1', 'a', 'é', '"', '\\', ',', ';', ':', '/', '.', '-', '=', '&', '%', '@', '[', '{'],
  ...['a ', ' ,', '",', '"a",', 'W/"a"', 'W/', '\\"', '[1,', '{"a":', 'a=b;', 'a="', 'a@', 'a.', '.a', '1-', ']:1'],
  ...['%41', 'a&', 'a=1&', '../', '1.2.3.4,', '2001:db8::', 'eyJ', '10', '1e', '2026-12-31T'],
];
const ENDS = ['', '!'];

/** Those texts, each behind what makes the parser begin. */
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
