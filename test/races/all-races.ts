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
   * The races (tests with simultaneous requests) in which a request got 503. A 503 is no violation, but `npm run proofs
   * -- races` prints these races.
   */
  readonly unavailable: readonly Outcome[];
  /** The violations that a comparison of the stored documents with their contents finds after all races. */
  readonly atRest: readonly Violation[];
  readonly races: number;
  readonly requests: number;
}

/** Runs the races on several services in parallel and checks the invariants after each race, until `isOver`. */
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
        // Once an invoice number is wrong, the check of invoice numbers fails after each following race too, so only
        // the first race is reported.
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
