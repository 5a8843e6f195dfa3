import type { Logger } from 'pino';
import * as limit from '../limits.ts';
import { Backoff } from '../retries.ts';
import type { Database } from './database.ts';

export type ChangeWatch = ReturnType<typeof watchChanges>;

export interface ChangeListener {
  /** The clients to which the listening caller has access; undefined means all clients. */
  readonly clients: ReadonlySet<string> | undefined;
  wake(): void;
}

/** Polls for changed records and wakes the listeners that may see a changed record. All listeners share one query. */
export function watchChanges(database: Pick<Database, 'callAsLogin'>, log: Logger, pollMs = limit.CHANGE_POLL_MS) {
  const listeners = new Set<ChangeListener>();
  const backoff = new Backoff(limit.CHANGE_POLL_RETRY_MS);
  let lastReadChangePosition: string | null = null;
  let pollTimer: NodeJS.Timeout | undefined;
  let currentPollPromise: Promise<void> | undefined;
  let isPollFailing = false;
  let isClosed = false;

  async function readChangedClients(): Promise<boolean> {
    const isFirstPoll = lastReadChangePosition === null;
    const changedClientsSql = 'select c.place, c.more, c.everybody, c.clients from app.changed_clients($1, $2) as c';
    const { rows } = await database.callAsLogin({
      text: changedClientsSql,
      values: [lastReadChangePosition, limit.MAX_RECORDS_PER_CHANGE_READ],
    });
    const [next = null, more, everybody, listed = '{}'] = rows[0] ?? [];
    lastReadChangePosition = next;
    const changedClientIds = String(listed).slice(1, -1).split(',');
    // The first poll cannot list changed clients, so it wakes every listener, which then reads the changes itself.
    for (const listener of listeners)
      if (isFirstPoll || everybody === 't' || changedClientIds.some((id) => listenerHasAccess(listener, id)))
        listener.wake();
    return more === 't';
  }

  async function pollChanges(): Promise<void> {
    let nextPollPauseMs = pollMs;
    try {
      while ((await readChangedClients()) && listeners.size > 0);
      if (isPollFailing) log.info('the queries for new changes succeed again');
      isPollFailing = false;
      backoff.reset();
    } catch (error) {
      // Starts the next poll at the latest change (null), because app.changed_clients may refuse the old position.
      lastReadChangePosition = null;
      if (!isPollFailing)
        log.warn({ err: error }, 'the query for new changes failed: open streams get their changes later');
      isPollFailing = true;
      nextPollPauseMs = backoff.nextPauseMs();
    }
    currentPollPromise = undefined;
    schedulePoll(nextPollPauseMs);
  }

  function schedulePoll(ms: number): void {
    if (isClosed || currentPollPromise !== undefined) return;
    clearTimeout(pollTimer);
    if (listeners.size === 0) {
      lastReadChangePosition = null;
      return;
    }
    pollTimer = setTimeout(() => {
      currentPollPromise = pollChanges();
    }, ms).unref();
  }

  return {
    /** Adds a listener and returns the function that removes it. */
    listen(listener: ChangeListener): () => void {
      listeners.add(listener);
      if (listeners.size === 1) schedulePoll(0);
      return () => {
        listeners.delete(listener);
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(pollTimer);
      await currentPollPromise;
    },
  };
}

function listenerHasAccess({ clients }: ChangeListener, id: string): boolean {
  return id !== '' && (clients === undefined || clients.has(id));
}
