import { randomFrom } from '../faults/load/random.ts';

/**
 * The number that determines the samples of the tests: the environment variable `TEST_DAY`, which `npm test` derives
 * from the Git revision.
 */
export const DAY = Number(process.env['TEST_DAY'] ?? 20_779);

/** Returns the elements in an order that the number `TEST_DAY` determines, so that the first elements are a sample. */
export function shuffledByDay<T>(all: readonly T[]): T[] {
  const random = randomFrom(DAY);
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/**
 * Returns all rows, or only the share in `TEST_SAMPLE`, such as `1/10`. With `1/10`, the rows are divided into the same
 * ten parts every day, and `TEST_DAY` determines the part. A part is never empty.
 */
export function sampledByDay<T>(all: readonly T[]): T[] {
  const [share = 1, of = 1] = (process.env['TEST_SAMPLE'] ?? '1/1').split('/').map(Number);
  if (!(share > 0 && share <= of)) throw new Error('TEST_SAMPLE must be a share such as 1/10');
  const parts = Math.min(of, all.length);
  const random = randomFrom(all.length);
  const dealt = all
    .map((_, index) => ({ index, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ index }) => index);
  const drawn = new Set(dealt.filter((_, place) => (place + DAY) % parts < share));
  return all.filter((_, index) => drawn.has(index));
}

/**
 * Returns `count` evenly spread numbers that are at least 0 and less than 1. `TEST_DAY` determines how far all of them
 * are shifted.
 */
export function spreadOfDay(count: number): number[] {
  const shift = (DAY * GOLDEN) % 1;
  return Array.from({ length: count }, (_, index) => (index + shift) / count);
}

/**
 * The golden ratio. Its multiples modulo 1 fill an interval evenly, so the values of successive days are spread evenly
 * too.
 */
const GOLDEN = 0.618_033_988_75;
