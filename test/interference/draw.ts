import { sampledByDay } from '../support/day.ts';

/** The rows of a list that a run tries: all, or the share that `TEST_SAMPLE` asks for, whose size is printed. */
export function draw<T>(kind: string, all: readonly T[]): T[] {
  const drawn = sampledByDay(all);
  if (drawn.length < all.length) console.log(`     drawn: ${drawn.length} of ${all.length} ${kind}`);
  return drawn;
}
