import type { Logger } from 'pino';
import type { ClaimedChange, DeliveryFailure, IdentityChanges } from '../db/identity-changes.ts';
import { ManagementError } from '../identity/management/errors.ts';
import type { ManagementClient } from '../identity/management/client.ts';
import { runPeriodically } from '../periodic-task.ts';
import { Backoff } from '../retries.ts';
import { withTimeout } from '../timeout.ts';
import * as limit from '../limits.ts';

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

export function deliverIdentityChanges({
  changes,
  management,
  log,
  leaseMs = limit.RIGHTS_DELIVERY_LEASE_MS,
  deliveryMs = limit.RIGHTS_DELIVERY_TIMEOUT_MS,
  idleMs,
}: DeliveryOptions) {
  const closing = new AbortController();
  const deliveries = createDeliveries({ changes, management, log, leaseMs, deliveryMs });
  const { pending } = deliveries;
  let hasBegun = false;
  let deletedMs = -Infinity;
  let isDatabaseAway = false;

  async function beginChangesOnce(): Promise<void> {
    if (hasBegun) return;
    await changes.begin();
    hasBegun = true;
  }

  async function deleteDeliveredChanges(): Promise<void> {
    if (performance.now() - deletedMs < limit.DELIVERED_CHANGES_DELETE_PAUSE_MS) return;
    while (
      !closing.signal.aborted &&
      (await changes.deleteDelivered(limit.ROWS_OF_ONE_DELETE)) === limit.ROWS_OF_ONE_DELETE
    );
    deletedMs = performance.now();
  }

  async function runDeliveryRound(): Promise<boolean> {
    try {
      await beginChangesOnce();
      await deleteDeliveredChanges();
      const mayBeMore = await deliveries.start();
      if (isDatabaseAway) log.info('changes for the identity provider are delivered again');
      isDatabaseAway = false;
      return mayBeMore;
    } catch (error) {
      if (!isDatabaseAway) log.error({ err: error }, 'changes for the identity provider could not be read');
      isDatabaseAway = true;
      return false;
    }
  }

  async function deliverDueChanges(): Promise<void> {
    while (
      !closing.signal.aborted &&
      ((await runDeliveryRound()) || pending.size === limit.CONCURRENT_RIGHTS_DELIVERIES)
    )
      await Promise.race([...(pending.size > 0 ? pending : [undefined]), ended]);
  }

  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const task =
    idleMs === undefined ? undefined : runPeriodically(deliverDueChanges, 'nothing could be delivered', log, idleMs);

  return {
    async deliverNow(): Promise<void> {
      await beginChangesOnce();
      for (let mayBeMore = true; mayBeMore; ) {
        await deliveries.start();
        mayBeMore = pending.size > 0;
        await Promise.all(pending);
      }
    },
    /** Finishes the current deliveries, or aborts them after `withinMs` and leaves them to other service instances. */
    async close(withinMs = deliveryMs): Promise<void> {
      closing.abort();
      end(undefined);
      await task?.close();
      await withTimeout(
        Math.max(withinMs - limit.RETURNED_DELIVERY_PAUSE_MS, 0),
        Promise.all(pending),
        () => new Error('deliveries to the identity provider were broken off'),
      ).catch((error: unknown) => {
        log.warn({ err: error }, 'shutdown: other processes deliver the remaining changes');
        deliveries.abort();
      });
      await Promise.all(pending);
    },
  };
}

function createDeliveries({
  changes,
  management,
  log,
  leaseMs,
  deliveryMs,
}: Omit<DeliveryOptions, 'idleMs'> & { readonly leaseMs: number; readonly deliveryMs: number }) {
  const abort = new AbortController();
  const pending = new Set<Promise<void>>();
  const backoff = createDeliveryBackoff(log);
  const pauseMs = (): number => Math.max(backoff.remainingPauseMs(), management.remainingPauseMs());

  /** Starts a delivery for each free slot; returns true if more deliveries may be due. */
  async function start(): Promise<boolean> {
    const free = limit.CONCURRENT_RIGHTS_DELIVERIES - pending.size;
    if (free === 0 || pauseMs() > 0) return false;
    // Sets the deadline before the worker reserves changes, so that each delivery ends before the lease on its change.
    const deadline = performance.now() + Math.min(deliveryMs, leaseMs / 2);
    const claimed = await changes.claim(free, leaseMs);
    for (const change of claimed) track(deliver(change, deadline));
    return claimed.length === free;
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        log.error({ err: error }, 'the result of a delivery could not be stored; the service retries it');
      })
      .finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  async function deliver(claimed: ClaimedChange, until: number): Promise<void> {
    if (abort.signal.aborted || pauseMs() > 0) {
      await changes.release([claimed], Math.max(pauseMs(), limit.RETURNED_DELIVERY_PAUSE_MS));
      return;
    }
    const failure = await send(claimed, until);
    const isRecorded = await changes.recordOutcome(claimed, failure);
    const { userId } = claimed;
    if (!isRecorded) log.warn({ userId }, 'another process delivered at the same time; the rights are sent again');
  }

  async function send({ subject, rights, userId }: ClaimedChange, until: number): Promise<DeliveryFailure | undefined> {
    const signal = AbortSignal.any([
      abort.signal,
      AbortSignal.timeout(Math.max(Math.ceil(until - performance.now()), 0)),
    ]);
    try {
      const time = { deadline: until, signal };
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

  return {
    /** The deliveries under way; they never reject. */
    pending,
    start,
    abort: (): void => {
      abort.abort();
    },
  };
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
