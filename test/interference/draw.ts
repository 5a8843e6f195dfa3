import { sampledByDay } from '../support/day.ts';

/** The entries of a list that a test run tries: all, or the share that `TEST_SAMPLE` asks for. Prints their number. */
export function draw<T>(kind: string, all: readonly T[]): T[] {
  const drawn = sampledByDay(all);
  if (drawn.length < all.length) console.log(`     drawn: ${drawn.length} of ${all.length} ${kind}`);
  return drawn;
}
