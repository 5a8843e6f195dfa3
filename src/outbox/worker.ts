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
  const closingController = new AbortController();
  const abortController = new AbortController();
  const pendingDeliveries = new Set<Promise<void>>();
  const deliveryBackoff = createDeliveryBackoff(log);
  let isInitialized = false;
  let lastDeletionMs = -Infinity;
  let isDatabaseAway = false;

  async function beginChangesOnce(): Promise<void> {
    if (isInitialized) return;
    await changes.begin();
    isInitialized = true;
  }

  async function deleteDeliveredChanges(): Promise<void> {
    if (performance.now() - lastDeletionMs < limit.DELIVERED_CHANGES_DELETE_PAUSE_MS) return;
    while (
      !closingController.signal.aborted &&
      (await changes.deleteDelivered(limit.ROWS_OF_ONE_DELETE)) === limit.ROWS_OF_ONE_DELETE
    );
    lastDeletionMs = performance.now();
  }

  const remainingPauseMs = (): number => Math.max(deliveryBackoff.remainingPauseMs(), management.remainingPauseMs());

  /** Starts a delivery for each free slot; returns true if more deliveries may be due. */
  async function startDeliveries(): Promise<boolean> {
    const freeSlotCount = limit.CONCURRENT_RIGHTS_DELIVERIES - pendingDeliveries.size;
    if (freeSlotCount === 0 || remainingPauseMs() > 0) return false;
    // Sets the deadline before the worker reserves changes, so that each delivery ends before the lease on its change.
    const deliveryDeadlineMs = performance.now() + Math.min(deliveryMs, leaseMs / 2);
    const claimedChanges = await changes.claim(freeSlotCount, leaseMs);
    for (const claimedChange of claimedChanges) trackDelivery(deliverChange(claimedChange, deliveryDeadlineMs));
    return claimedChanges.length === freeSlotCount;
  }

  function trackDelivery(work: Promise<void>): void {
    const trackedDelivery = work
      .catch((error: unknown) => {
        log.error({ err: error }, 'the result of a delivery could not be stored; the service retries it');
      })
      .finally(() => pendingDeliveries.delete(trackedDelivery));
    pendingDeliveries.add(trackedDelivery);
  }

  async function deliverChange(claimed: ClaimedChange, until: number): Promise<void> {
    if (abortController.signal.aborted || remainingPauseMs() > 0) {
      await changes.release([claimed], Math.max(remainingPauseMs(), limit.RETURNED_DELIVERY_PAUSE_MS));
      return;
    }
    const deliveryFailure = await sendToProvider(claimed, until);
    const isOutcomeRecorded = await changes.recordOutcome(claimed, deliveryFailure);
    const { userId } = claimed;
    if (!isOutcomeRecorded)
      log.warn({ userId }, 'another process delivered at the same time; the rights are sent again');
  }

  async function sendToProvider(
    { subject, rights, userId }: ClaimedChange,
    until: number,
  ): Promise<DeliveryFailure | undefined> {
    const signal = AbortSignal.any([
      abortController.signal,
      AbortSignal.timeout(Math.max(Math.ceil(until - performance.now()), 0)),
    ]);
    try {
      const requestDeadline = { deadline: until, signal };
      await (rights === undefined
        ? management.erase(subject, requestDeadline)
        : management.send(subject, rights, requestDeadline));
      deliveryBackoff.recordSuccess();
      const deliveredLogMessage = rights === undefined ? 'has removed an erased user' : 'knows the rights of a user';
      log.info({ userId }, `the identity provider ${deliveredLogMessage}`);
      return undefined;
    } catch (error) {
      const managementError =
        error instanceof ManagementError ? error : new ManagementError('away', 'it failed', { cause: error });
      deliveryBackoff.recordFailure(managementError, userId);
      const needsManualRepair = managementError.kind === 'unknown' || managementError.kind === 'refused';
      const retryAfterMs =
        managementError.retryAfterMs ?? (needsManualRepair ? limit.BLOCKED_RIGHTS_DELIVERY_RETRY_MS : 0);
      return { reason: managementError.message, retryAfterMs };
    }
  }

  async function runDeliveryRound(): Promise<boolean> {
    try {
      await beginChangesOnce();
      await deleteDeliveredChanges();
      const areAllSlotsTaken = await startDeliveries();
      if (isDatabaseAway) log.info('changes for the identity provider are delivered again');
      isDatabaseAway = false;
      return areAllSlotsTaken;
    } catch (error) {
      if (!isDatabaseAway) log.error({ err: error }, 'changes for the identity provider could not be read');
      isDatabaseAway = true;
      return false;
    }
  }

  async function deliverDueChanges(): Promise<void> {
    while (
      !closingController.signal.aborted &&
      ((await runDeliveryRound()) || pendingDeliveries.size === limit.CONCURRENT_RIGHTS_DELIVERIES)
    )
      await Promise.race([...(pendingDeliveries.size > 0 ? pendingDeliveries : [undefined]), ended]);
  }

  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const periodicTask =
    idleMs === undefined ? undefined : runPeriodically(deliverDueChanges, 'nothing could be delivered', log, idleMs);

  return {
    async deliverNow(): Promise<void> {
      await beginChangesOnce();
      for (let mayBeMore = true; mayBeMore; ) {
        await startDeliveries();
        mayBeMore = pendingDeliveries.size > 0;
        await Promise.all(pendingDeliveries);
      }
    },
    /** Finishes the current deliveries, or aborts them after `withinMs` and leaves them to other service instances. */
    async close(withinMs = deliveryMs): Promise<void> {
      closingController.abort();
      end(undefined);
      await periodicTask?.close();
      const createTimeoutError = (): Error => new Error('deliveries to the identity provider were broken off');
      await withTimeout(
        Math.max(withinMs - limit.RETURNED_DELIVERY_PAUSE_MS, 0),
        Promise.all(pendingDeliveries),
        createTimeoutError,
      ).catch((error: unknown) => {
        log.warn({ err: error }, 'shutdown: other processes deliver the remaining changes');
        abortController.abort();
      });
      await Promise.all(pendingDeliveries);
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
  const failingUsers = new Set<string>();
  const reportedFailureKinds = new Set<string>();
  const pauseBackoff = new Backoff(limit.RIGHTS_DELIVERY_PAUSES_MS);
  let pauseEndMs = -Infinity;

  return {
    recordSuccess(): void {
      if (reportedFailureKinds.size > 0) log.info('the identity provider accepts changes again');
      reportedFailureKinds.clear();
      failingUsers.clear();
      pauseBackoff.reset();
      pauseEndMs = -Infinity;
    },
    recordFailure({ kind, message: reason }: ManagementError, userId: string): void {
      if (kind === 'unknown' || kind === 'refused') {
        log.warn({ userId, trouble: kind, reason }, 'the identity provider rejects the rights of a user');
        return;
      }
      if (!reportedFailureKinds.has(kind)) log.warn({ trouble: kind, reason }, PAUSE_LOG_MESSAGES[kind]);
      reportedFailureKinds.add(kind);
      if (kind === 'away' || kind === 'address') failingUsers.add(userId);
      const shouldPauseAll = kind === 'credential' || failingUsers.size >= limit.DELIVERY_FAILURES_BEFORE_PAUSE;
      if (shouldPauseAll && kind !== 'limited' && performance.now() >= pauseEndMs)
        pauseEndMs = performance.now() + pauseBackoff.nextPauseMs();
    },
    remainingPauseMs: (): number => Math.max(0, pauseEndMs - performance.now()),
  };
}
