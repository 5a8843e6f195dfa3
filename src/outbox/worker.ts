import type { Logger } from 'pino';
import type { ClaimedChange, DeliveryFailure, IdentityChanges } from '../db/identity-changes.ts';
import { ManagementError } from '../identity/management/errors.ts';
import type { ManagementClient } from '../identity/management/client.ts';
import { Backoff } from '../retries.ts';
import * as limit from '../limits.ts';
import { runOutbox } from './outbox.ts';

export type DeliveryWorker = ReturnType<typeof deliverIdentityChanges>;

export interface DeliveryOptions {
  readonly changes: IdentityChanges;
  readonly management: ManagementClient;
  readonly log: Logger;
  readonly leaseMs?: number;
  readonly deliveryMs?: number;
  /** The pause between checks for due deliveries; undefined if the worker delivers only in `deliverNow`. */
  readonly idleMs?: number | undefined;
}

interface Delivery extends ClaimedChange {
  readonly deadline: number;
}

/** Sends changed rights and erasures to the identity provider. */
export function deliverIdentityChanges({
  changes,
  management,
  log,
  leaseMs = limit.RIGHTS_DELIVERY_LEASE_MS,
  deliveryMs = limit.RIGHTS_DELIVERY_TIMEOUT_MS,
  idleMs,
}: DeliveryOptions) {
  const backoff = createDeliveryBackoff(log);
  const pauseMs = (): number => Math.max(backoff.remainingPauseMs(), management.remainingPauseMs());
  let hasBegun = false;
  let deletedMs = -Infinity;

  async function prepare(ending: AbortSignal): Promise<void> {
    if (!hasBegun) await changes.begin();
    hasBegun = true;
    if (performance.now() - deletedMs < limit.DELIVERED_CHANGES_DELETE_PAUSE_MS) return;
    while (!ending.aborted && (await changes.deleteDelivered(limit.ROWS_OF_ONE_DELETE)) === limit.ROWS_OF_ONE_DELETE);
    deletedMs = performance.now();
  }

  async function claim(most: number): Promise<readonly Delivery[]> {
    // Sets the deadline before the changes are leased, so that each delivery ends before the lease on its change.
    const deadline = performance.now() + Math.min(deliveryMs, leaseMs / 2);
    return (await changes.claim(most, leaseMs)).map((change) => ({ ...change, deadline }));
  }

  async function deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    if (signal.aborted || pauseMs() > 0) {
      await changes.release([delivery], Math.max(pauseMs(), limit.RETURNED_DELIVERY_PAUSE_MS));
      return;
    }
    const failure = await send(delivery, signal);
    const isRecorded = await changes.recordOutcome(delivery, failure);
    const { userId } = delivery;
    if (!isRecorded) log.warn({ userId }, 'another process delivered at the same time; the rights are sent again');
  }

  async function send(
    { subject, rights, userId, deadline }: Delivery,
    ending: AbortSignal,
  ): Promise<DeliveryFailure | undefined> {
    const timeout = AbortSignal.timeout(Math.max(Math.ceil(deadline - performance.now()), 0));
    const time = { deadline, signal: AbortSignal.any([ending, timeout]) };
    try {
      await (rights === undefined ? management.erase(subject, time) : management.send(subject, rights, time));
      backoff.recordSuccess();
      const outcome = rights === undefined ? 'has removed an erased user' : 'knows the rights of a user';
      log.info({ userId }, `the identity provider ${outcome}`);
      return undefined;
    } catch (error) {
      const failure =
        error instanceof ManagementError ? error : new ManagementError('away', 'it failed', { cause: error });
      backoff.recordFailure(failure, userId);
      const needsRepair = failure.kind === 'unknown' || failure.kind === 'refused';
      const retryAfterMs = failure.retryAfterMs ?? (needsRepair ? limit.BLOCKED_RIGHTS_DELIVERY_RETRY_MS : 0);
      return { reason: failure.message, retryAfterMs };
    }
  }

  const slots = limit.CONCURRENT_RIGHTS_DELIVERIES;
  const work = { items: 'changes for the identity provider', slots, prepare, claim, deliver, pauseMs };
  return runOutbox(work, idleMs, deliveryMs, log);
}

const PAUSE_LOG_MESSAGES = {
  credential: 'the identity provider refuses our credential: changes wait',
  away: 'the identity provider is away: changes wait',
  address: 'AUTH_MANAGEMENT_URL does not lead to the management interface: changes wait',
  limited: 'the identity provider wants to be asked less: changes wait',
} as const;

/** Pauses all deliveries after the provider refuses our credential, or after failures for several users in a row. */
function createDeliveryBackoff(log: Logger) {
  const failing = new Set<string>();
  const reported = new Set<string>();
  const backoff = new Backoff(limit.RIGHTS_DELIVERY_PAUSES_MS);
  let pausedUntil = -Infinity;

  return {
    recordSuccess(): void {
      if (reported.size > 0) log.info('the identity provider accepts changes again');
      reported.clear();
      failing.clear();
      backoff.reset();
      pausedUntil = -Infinity;
    },
    recordFailure({ kind, message: reason }: ManagementError, userId: string): void {
      if (kind === 'unknown' || kind === 'refused') {
        log.warn({ userId, trouble: kind, reason }, 'the identity provider rejects the rights of a user');
        return;
      }
      if (!reported.has(kind)) log.warn({ trouble: kind, reason }, PAUSE_LOG_MESSAGES[kind]);
      reported.add(kind);
      if (kind === 'away' || kind === 'address') failing.add(userId);
      const mustPause = kind === 'credential' || failing.size >= limit.DELIVERY_FAILURES_BEFORE_PAUSE;
      if (mustPause && kind !== 'limited' && performance.now() >= pausedUntil)
        pausedUntil = performance.now() + backoff.nextPauseMs();
    },
    remainingPauseMs: (): number => Math.max(0, pausedUntil - performance.now()),
  };
}
