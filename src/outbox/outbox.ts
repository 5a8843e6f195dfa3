import type { Logger } from 'pino';
import { RETURNED_DELIVERY_PAUSE_MS } from '../limits.ts';
import { runPeriodically } from '../periodic-task.ts';
import { withTimeout } from '../timeout.ts';

/** One kind of work that waits in the database to be sent: changed rights to the identity provider, reminders by mail. */
interface OutgoingWork<Item> {
  /** The plural that names the items in the log. */
  readonly items: string;
  /** How many items this process sends at the same time. */
  readonly slots: number;
  /** Runs before items are claimed: it plans or deletes items. */
  prepare(ending: AbortSignal): Promise<void>;
  /** Leases at most so many due items to this process. */
  claim(most: number): Promise<readonly Item[]>;
  /** Sends an item until the deadline of its lease or the abort of `signal`, and stores the outcome. */
  deliver(item: Item, signal: AbortSignal): Promise<void>;
  /** For how long nothing can be sent, because the receiver is away. */
  pauseMs(): number;
}

/**
 * Sends what waits in the database. Instances share the work: each item is leased to one process at a time.
 * @param idleMs the pause between two searches for due items; undefined if only `deliverNow` searches
 * @param closeMs how long `close` lets deliveries finish if its caller gives no time
 */
export function runOutbox<Item>(work: OutgoingWork<Item>, idleMs: number | undefined, closeMs: number, log: Logger) {
  const closing = new AbortController();
  const abort = new AbortController();
  const closed = new Promise((resolve) => {
    closing.signal.addEventListener('abort', resolve);
  });
  const pending = new Set<Promise<void>>();
  let claimed = 0;
  let isAway = false;

  function reportAway(error: unknown): void {
    if (!isAway) log.error({ err: error }, `${work.items} could not be read, or their outcomes not stored`);
    isAway = true;
  }

  /** Starts a delivery for each free slot; returns true if more items may be due. */
  async function fillSlots(): Promise<boolean> {
    const free = work.slots - pending.size;
    if (free === 0 || work.pauseMs() > 0) return false;
    const items = await work.claim(free);
    claimed += items.length;
    for (const item of items) {
      const delivery = work
        .deliver(item, abort.signal)
        .catch(reportAway)
        .finally(() => pending.delete(delivery));
      pending.add(delivery);
    }
    return items.length === free;
  }

  async function search(): Promise<void> {
    await work.prepare(closing.signal);
    while (!closing.signal.aborted && ((await fillSlots()) || pending.size === work.slots))
      await Promise.race([...(pending.size > 0 ? pending : [undefined]), closed]);
    if (isAway) log.info(`${work.items} are sent again`);
    isAway = false;
  }

  const task =
    idleMs === undefined
      ? undefined
      : runPeriodically(() => search().catch(reportAway), `${work.items} could not be sent`, log, idleMs);

  return {
    /** Sends all due items. @throws an error of the database */
    async deliverNow(): Promise<void> {
      await (task?.runNow() ?? search());
      do {
        await Promise.all(pending);
        claimed = 0;
        await fillSlots();
      } while (claimed > 0);
    },
    /** Finishes the current deliveries, or aborts them after `withinMs` and leaves them to other instances. */
    async close(withinMs = closeMs): Promise<void> {
      closing.abort();
      // A search that has just claimed items starts their deliveries before the task is closed.
      const finished = Promise.resolve(task?.close()).then(() => Promise.all(pending));
      const lateError = (): Error => new Error(`${work.items} were broken off`);
      await withTimeout(Math.max(withinMs - RETURNED_DELIVERY_PAUSE_MS, 0), finished, lateError).catch(
        (error: unknown) => {
          log.warn({ err: error }, `shutdown: other processes send the remaining ${work.items}`);
          abort.abort();
        },
      );
      await withTimeout(RETURNED_DELIVERY_PAUSE_MS, finished, lateError).catch(() => undefined);
    },
  };
}
