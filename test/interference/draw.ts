import { sampledByDay } from '../support/day.ts';

/** The rows that this run tries: all, or the share that `TEST_SAMPLE` asks for, whose size it prints. */
export function draw<T>(kind: string, all: readonly T[]): T[] {
  const drawn = sampledByDay(all);
  if (drawn.length < all.length) console.log(`     drawn: ${drawn.length} of ${all.length} ${kind}`);
  return drawn;
}
