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

/** Numbers from 0 up to 1 that are spread evenly, others with another day. */
export function spreadOfDay(count: number): number[] {
  const shift = (DAY * GOLDEN) % 1;
  return Array.from({ length: count }, (_, index) => (index + shift) / count);
}

/** By multiples of it an interval is filled as evenly as can be. */
const GOLDEN = 0.618_033_988_75;
