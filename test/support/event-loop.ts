import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/* How long work holds the event loop in one piece, measured against other work in the same process. */

/** A measure that is too long is taken again: other processes of the machine only add to it. */
const AGAIN = 20;

/** The longest time, in nanoseconds, for which nothing else could run while this work was under way. */
async function longestPiece(work: () => unknown): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first delay is of what came before.
  await measured(delay);
  delay.reset();
  await measured(delay);
  await work();
  await measured(delay);
  delay.disable();
  return delay.max;
}

/** The delay is noted by a timer: waits until it has run. */
async function measured(delay: { readonly count: number }): Promise<void> {
  const before = delay.count;
  while (delay.count === before) await setImmediate();
}

/** Work that holds the loop for as long as a request may: some 50 ms of a machine that has nothing else to do. */
function reference(): number {
  let sum = 0;
  for (let one = 0; one < 40_000_000; one += 1) sum = (sum ^ one) + (one % 7);
  return sum;
}

/** How much of what the loop may be held its longest piece is; more than 1 is too long. */
export async function shareOfLimit(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let trial = 0; trial <= AGAIN && least > 1; trial += 1) {
    const limit = await longestPiece(reference);
    least = Math.min(least, (await longestPiece(work)) / limit);
  }
  return least;
}
