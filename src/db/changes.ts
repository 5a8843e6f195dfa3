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

/** Polls for changed records and wakes the listeners with access to them. All listeners share one polling query. */
export function watchChanges(
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
  pollMs = limit.CHANGE_POLL_MS,
) {
  const listeners = new Set<ChangeListener>();
  const backoff = new Backoff(limit.CHANGE_POLL_RETRY_MS);
  let lastReadChangePosition: string | null = null;
  let pollTimer: NodeJS.Timeout | undefined;
  let currentPoll: Promise<void> | undefined;
  let isPollFailing = false;
  let isClosed = false;

  async function readChangedClients(): Promise<boolean> {
    const isFirstPoll = lastReadChangePosition === null;
    const changedClientsSql =
      'select c.place, c.more, c.everybody, c.clients from app.changed_clients($1, $2) as c';
    const { rows } = await database.callAsLogin({
      text: changedClientsSql,
      values: [lastReadChangePosition, limit.MAX_RECORDS_PER_CHANGE_READ],
    });
    const [next = null, more, everybody, listed = '{}'] = rows[0] ?? [];
    lastReadChangePosition = next;
    const changedClientIds = String(listed).slice(1, -1).split(',');
    // The first poll lists no earlier changes, so it wakes every listener, which then reads the changes itself.
    for (const listener of listeners)
      if (isFirstPoll || everybody === 't' || changedClientIds.some((id) => listenerHasAccess(listener, id)))
        listener.wake();
    return more === 't';
  }

  async function pollChanges(): Promise<void> {
    let nextPollPauseMs = pollMs;
    try {
      while ((await readChangedClients()) && listeners.size > 0);
      if (isPollFailing) log.info('changes are looked for again');
      isPollFailing = false;
      backoff.reset();
    } catch (error) {
      // app.changed_clients may refuse an old `lastReadChangePosition`; null starts the next poll at the latest change.
      lastReadChangePosition = null;
      if (!isPollFailing)
        log.warn({ err: error }, 'changes cannot be looked for: open streams hear of them later');
      isPollFailing = true;
      nextPollPauseMs = backoff.nextPauseMs();
    }
    currentPoll = undefined;
    schedulePoll(nextPollPauseMs);
  }

  function schedulePoll(ms: number): void {
    if (isClosed || currentPoll !== undefined) return;
    clearTimeout(pollTimer);
    if (listeners.size === 0) {
      lastReadChangePosition = null;
      return;
    }
    pollTimer = setTimeout(() => {
      currentPoll = pollChanges();
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
      await currentPoll;
    },
  };
}

function listenerHasAccess({ clients }: ChangeListener, id: string): boolean {
  return id !== '' && (clients === undefined || clients.has(id));
}
