import type { Logger } from 'pino';
import type { ClaimedChange, Failure, IdentityChanges } from '../db/identity-changes.ts';
import { ManagementError } from '../identity/management/errors.ts';
import type { Management } from '../identity/management/client.ts';
import { runPeriodically } from '../regularly.ts';
import { Backoff } from '../retries.ts';
import { withTimeout } from '../within.ts';
import * as limit from '../limits.ts';

export type Worker = ReturnType<typeof deliverIdentityChanges>;

export interface WorkerOptions {
  readonly changes: IdentityChanges;
  readonly management: Management;
  readonly log: Logger;
  readonly leaseMs?: number;
  readonly deliveryMs?: number;
  /** The pause while no delivery is due; undefined: the worker delivers only in `sweep`. */
  readonly idleMs?: number | undefined;
}

export function deliverIdentityChanges({
  changes,
  management,
  log,
  leaseMs = limit.DELIVERY_LEASE_MS,
  deliveryMs = limit.DELIVERY_MS,
  idleMs,
}: WorkerOptions) {
  const ending = new AbortController();
  const breakingOff = new AbortController();
  const underWay = new Set<Promise<void>>();
  const backoff = createBackoff(log);
  let isBegun = false;
  let forgottenAt = -Infinity;
  let isDatabaseAway = false;

  async function begin(): Promise<void> {
    if (isBegun) return;
    await changes.begin();
    isBegun = true;
  }

  async function forget(): Promise<void> {
    if (performance.now() - forgottenAt < limit.DELIVERED_FORGET_MS) return;
    while (
      !ending.signal.aborted &&
      (await changes.deleteDelivered(limit.FORGOTTEN_AT_ONCE)) === limit.FORGOTTEN_AT_ONCE
    );
    forgottenAt = performance.now();
  }

  const pausedMs = (): number => Math.max(backoff.pausedMs(), management.pausedMs());

  /** Starts as many deliveries as there is room for; true where more may be due. */
  async function startDeliveries(): Promise<boolean> {
    const room = limit.DELIVERIES - underWay.size;
    if (room === 0 || pausedMs() > 0) return false;
    // The time counts from before the claim, so that a delivery ends before the claim's lease.
    const until = performance.now() + Math.min(deliveryMs, leaseMs / 2);
    const claimed = await changes.claim(room, leaseMs);
    for (const one of claimed) track(deliver(one, until));
    return claimed.length === room;
  }

  function track(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => {
        log.error({ err: error }, 'what became of a delivery could not be written down; it is tried again');
      })
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  }

  async function deliver(claimed: ClaimedChange, until: number): Promise<void> {
    if (breakingOff.signal.aborted || pausedMs() > 0) {
      await changes.release([claimed], Math.max(pausedMs(), limit.DELIVERY_RELEASE_MS));
      return;
    }
    const failure = await send(claimed, until);
    const isKept = await changes.recordOutcome(claimed, failure);
    const { userId } = claimed;
    if (!isKept)
      log.warn({ userId }, 'another has delivered to the identity provider meanwhile; it is told again');
  }

  async function send(
    { subject, rights, userId }: ClaimedChange,
    until: number,
  ): Promise<Failure | undefined> {
    const signal = AbortSignal.any([
      breakingOff.signal,
      AbortSignal.timeout(Math.max(Math.ceil(until - performance.now()), 0)),
    ]);
    try {
      const time = { until, signal };
      await (rights === undefined ? management.erase(subject, time) : management.send(subject, rights, time));
      backoff.succeeded();
      const delivered = rights === undefined ? 'has removed an erased user' : 'knows the rights of a user';
      log.info({ userId }, `the identity provider ${delivered}`);
      return undefined;
    } catch (error) {
      const known =
        error instanceof ManagementError ? error : new ManagementError('away', 'it failed', { cause: error });
      backoff.failed(known, userId);
      const isForPeople = known.trouble === 'unknown' || known.trouble === 'refused';
      const retryAfterMs = known.retryAfterMs ?? (isForPeople ? limit.DELIVERY_RARE_MS : 0);
      return { reason: known.message, retryAfterMs };
    }
  }

  async function round(): Promise<boolean> {
    try {
      await begin();
      await forget();
      const isFull = await startDeliveries();
      if (isDatabaseAway) log.info('changes for the identity provider are delivered again');
      isDatabaseAway = false;
      return isFull;
    } catch (error) {
      if (!isDatabaseAway) log.error({ err: error }, 'changes for the identity provider could not be read');
      isDatabaseAway = true;
      return false;
    }
  }

  async function deliverDue(): Promise<void> {
    while (!ending.signal.aborted && ((await round()) || underWay.size === limit.DELIVERIES))
      await Promise.race([...(underWay.size > 0 ? underWay : [undefined]), ended]);
  }

  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const working =
    idleMs === undefined ? undefined : runPeriodically(deliverDue, 'nothing could be delivered', log, idleMs);

  return {
    async sweep(): Promise<void> {
      await begin();
      for (let mayBeMore = true; mayBeMore; ) {
        await startDeliveries();
        mayBeMore = underWay.size > 0;
        await Promise.all(underWay);
      }
    },
    /** Finishes the deliveries under way, or breaks them off after `withinMs` and leaves them to other instances. */
    async close(withinMs = deliveryMs): Promise<void> {
      ending.abort();
      end(undefined);
      await working?.close();
      const late = (): Error => new Error('deliveries to the identity provider were broken off');
      await withTimeout(Math.max(withinMs - limit.DELIVERY_RELEASE_MS, 0), Promise.all(underWay), late).catch(
        (error: unknown) => {
          log.warn({ err: error }, 'others deliver the rest');
          breakingOff.abort();
        },
      );
      await Promise.all(underWay);
    },
  };
}

const PAUSES_BECAUSE = {
  credential: 'the identity provider refuses our credential: changes wait',
  away: 'the identity provider is away: changes wait',
  address: 'AUTH_MANAGEMENT_URL does not lead to the management interface: changes wait',
  limited: 'the identity provider wants to be asked less: changes wait',
} as const;

/** Pauses where the credential is refused, or where deliveries for several users fail in a row. */
function createBackoff(log: Logger) {
  const failing = new Set<string>();
  const reported = new Set<string>();
  const pauses = new Backoff(limit.DELIVERY_PAUSE_MS);
  let until = -Infinity;

  return {
    succeeded(): void {
      if (reported.size > 0) log.info('the identity provider takes changes again');
      reported.clear();
      failing.clear();
      pauses.reset();
      until = -Infinity;
    },
    failed({ trouble, message: reason }: ManagementError, userId: string): void {
      if (trouble === 'unknown' || trouble === 'refused') {
        log.warn({ userId, trouble, reason }, 'the identity provider does not take the rights of a user');
        return;
      }
      if (!reported.has(trouble)) log.warn({ trouble, reason }, PAUSES_BECAUSE[trouble]);
      reported.add(trouble);
      if (trouble === 'away' || trouble === 'address') failing.add(userId);
      const isForAll = trouble === 'credential' || failing.size >= limit.DELIVERY_FAILING_USERS;
      if (isForAll && trouble !== 'limited' && performance.now() >= until)
        until = performance.now() + pauses.nextPauseMs();
    },
    pausedMs: (): number => Math.max(0, until - performance.now()),
  };
}
