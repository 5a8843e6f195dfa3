import { contentsAtRest } from './contents-after.ts';
import { violations } from './invariants.ts';
import { INVOICES } from './invariants-of-order.ts';
import type { Violation } from './invariants.ts';
import type { Lane } from './lane.ts';
import { run } from './race.ts';
import type { Outcome, Race } from './race.ts';

export interface Found extends Violation {
  readonly outcome: Outcome;
}

export interface Results {
  readonly found: readonly Found[];
  /**
   * The groups of simultaneous requests in which a request got 503. This is no violation, but `npm run proofs -- races`
   * prints these groups.
   */
  readonly unavailable: readonly Outcome[];
  /**
   * A comparison after all simultaneous requests finds these: documents in the database without a stored content, and
   * stored contents without a document.
   */
  readonly atRest: readonly Violation[];
  readonly races: number;
  readonly requests: number;
}

/**
 * Sends one group of simultaneous requests after the other to each of several services, and checks the database after
 * each group. Begins no further group once `isOver` returns true.
 */
export async function runAll(
  lanes: readonly Lane[],
  races: readonly Race[],
  isOver = (): boolean => false,
): Promise<Results> {
  const found: Found[] = [];
  const unavailable: Outcome[] = [];
  const queue = races.values();
  let ended = 0;
  let requests = 0;

  async function work(lane: Lane): Promise<void> {
    const reported = new Set<string>();
    for (const race of queue) {
      if (isOver()) return;
      const outcome = await run(lane, race);
      ended += 1;
      requests += outcome.exchanges.length;
      if (outcome.exchanges.some(({ answer }) => answer.status === 503)) unavailable.push(outcome);
      for (const violation of await violations(lane, outcome)) {
        // Once the database has a wrong invoice number, the check of these numbers fails after all later requests too.
        // Only the first failure is reported.
        if (violation.invariant in INVOICES && reported.has(violation.detail)) continue;
        reported.add(violation.detail);
        found.push({ ...violation, outcome });
      }
    }
  }
  await Promise.all(lanes.map(work));
  const atRest = await Promise.all(lanes.map(contentsAtRest));
  return { found, unavailable, atRest: atRest.flat(), races: ended, requests };
}
