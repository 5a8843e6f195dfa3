import { sampledByDay } from '../support/day.ts';

/**
 * Chooses the entries of a list that a test run tries: all of them, or the fraction in the environment variable
 * `TEST_SAMPLE`. Prints how many it chose.
 */
export function draw<T>(kind: string, all: readonly T[]): T[] {
  const drawn = sampledByDay(all);
  if (drawn.length < all.length) console.log(`     drawn: ${drawn.length} of ${all.length} ${kind}`);
  return drawn;
}
