import { randomFrom } from '../faults/load/random.ts';

/**
 * The number that chooses what is tried where a part of something is: `npm run proofs` takes it from the revision, and
 * `TEST_DAY` from whoever tries the same part again.
 */
export const DAY = Number(process.env['TEST_DAY'] ?? 20_779);

/** The same in another order with another day, so that the first of them are a sample. */
export function shuffledByDay<T>(all: readonly T[]): T[] {
  const random = randomFrom(DAY);
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/**
 * The rows that a run tries: all of them, or the share that `TEST_SAMPLE` asks for, such as `1/10`. The rows are dealt into
 * ten parts, always the same ones, and the day chooses the part. A part is never empty.
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

/** Numbers from 0 up to 1 that are spread evenly, others with another day. */
export function spreadOfDay(count: number): number[] {
  const shift = (DAY * GOLDEN) % 1;
  return Array.from({ length: count }, (_, index) => (index + shift) / count);
}

/** By multiples of it an interval is filled as evenly as can be. */
const GOLDEN = 0.618_033_988_75;
