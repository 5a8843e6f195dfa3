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
  /** Races in which somebody was answered 503, which is no violation, but nothing that a caller is glad of. */
  readonly unavailable: readonly Outcome[];
  /** What is wrong with the documents of all races together. */
  readonly atRest: readonly Violation[];
  /** How many races there were. */
  readonly races: number;
  readonly requests: number;
}

/** Runs races in every lane, one after the other, and checks after each, until there is no time for another. */
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
        // What is wrong with the invoices of all tenants stays wrong after: only the race that made it is told.
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
