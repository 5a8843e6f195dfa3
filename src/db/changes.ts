import type { Logger } from 'pino';
import * as limit from '../limits.ts';
import { Backoff } from '../retries.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';

export type ChangeWatch = ReturnType<typeof watchChanges>;

interface ChangeListener {
  /** The clients to which the listening caller has access; undefined means all clients. */
  readonly clients: ReadonlySet<string> | undefined;
  wake(): void;
}

/** Polls for changed records and wakes the listeners that may see a changed record. All listeners share one query. */
export function watchChanges(database: DatabaseLogin, log: Logger, pollMs = limit.CHANGE_POLL_MS) {
  const listeners = new Set<ChangeListener>();
  const backoff = new Backoff(limit.CHANGE_POLL_RETRY_MS);
  let position: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  let isFailing = false;
  let isClosed = false;

  async function readChangedClients(): Promise<boolean> {
    const isFirst = position === null;
    const [row = []] = await readAsLogin(
      database,
      'select c.place, c.more, c.everybody, c.clients from app.changed_clients($1, $2) as c',
      position,
      limit.MAX_RECORDS_PER_CHANGE_READ,
    );
    const [next = null, more, everybody, listed = '{}'] = row;
    position = next;
    const ids = String(listed).slice(1, -1).split(',');
    // The first poll cannot list changed clients, so it wakes every listener, which then reads the changes itself.
    for (const listener of listeners)
      if (isFirst || everybody === 't' || ids.some((id) => listenerHasAccess(listener, id))) listener.wake();
    return more === 't';
  }

  async function poll(): Promise<void> {
    let pauseMs = pollMs;
    try {
      while ((await readChangedClients()) && listeners.size > 0);
      if (isFailing) log.info('the queries for new changes succeed again');
      isFailing = false;
      backoff.reset();
    } catch (error) {
      // Starts the next poll at the latest change (null), because app.changed_clients may refuse the old position.
      position = null;
      if (!isFailing)
        log.warn({ err: error }, 'the query for new changes failed: open streams get their changes later');
      isFailing = true;
      pauseMs = backoff.nextPauseMs();
    }
    current = undefined;
    schedulePoll(pauseMs);
  }

  function schedulePoll(ms: number): void {
    if (isClosed || current !== undefined) return;
    clearTimeout(timer);
    if (listeners.size === 0) {
      position = null;
      return;
    }
    timer = setTimeout(() => {
      current = poll();
    }, ms).unref();
  }

  return {
    listen(listener: ChangeListener): () => void {
      listeners.add(listener);
      if (listeners.size === 1) schedulePoll(0);
      return () => {
        listeners.delete(listener);
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}

function listenerHasAccess({ clients }: ChangeListener, id: string): boolean {
  return id !== '' && (clients === undefined || clients.has(id));
}
