import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/* This module measures how long some work blocks the event loop, compared with a reference work in the same process. */

/**
 * A measurement above the limit is repeated up to this many times, because other processes on the machine can make a
 * measured time longer, but never shorter.
 */
const AGAIN = 20;

/** Measures the longest time in nanoseconds for which some work blocks the event loop. */
async function longestPiece(work: () => unknown): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first delay of the event loop that the monitor records was caused before the measured work.
  await measured(delay);
  delay.reset();
  await measured(delay);
  await work();
  await measured(delay);
  delay.disable();
  return delay.max;
}

async function measured(delay: { readonly count: number }): Promise<void> {
  const before = delay.count;
  while (delay.count === before) await setImmediate();
}

/**
 * Reference work that blocks the event loop for the longest time that a request is allowed to block it: some 50 ms on
 * an idle machine.
 */
function reference(): number {
  let sum = 0;
  for (let one = 0; one < 40_000_000; one += 1) sum = (sum ^ one) + (one % 7);
  return sum;
}

/**
 * Returns the longest time for which some work blocks the event loop, divided by that of the reference work. Tests
 * expect at most 1.
 */
export async function shareOfLimit(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let trial = 0; trial <= AGAIN && least > 1; trial += 1) {
    const limit = await longestPiece(reference);
    least = Math.min(least, (await longestPiece(work)) / limit);
  }
  return least;
}
