import type { Logger } from 'pino';
import * as limit from '../limits.ts';
import { Pauses } from '../retries.ts';
import type { Database } from './database.ts';

export type ChangeWatch = ReturnType<typeof watchChanges>;

export interface Listener {
  /** Undefined: the caller has access to all clients. */
  readonly clients: ReadonlySet<string> | undefined;
  wake(): void;
}

/** Wakes the listeners whose clients' records were written. All listeners of a process share one query. */
export function watchChanges(
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
  lookMs = limit.CHANGE_LOOK_MS,
) {
  const listeners = new Set<Listener>();
  const pauses = new Pauses(limit.CHANGE_LOOK_RETRY_MS);
  let place: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isAway = false;
  let isClosed = false;

  async function look(): Promise<boolean> {
    const isFirst = place === null;
    const text = 'select c.place, c.more, c.everybody, c.clients from app.changed_clients($1, $2) as c';
    const { rows } = await database.callAsLogin({ text, values: [place, limit.CHANGES_LOOKED_AT] });
    const [next = null, more, everybody, listed = '{}'] = rows[0] ?? [];
    place = next;
    const clients = String(listed).slice(1, -1).split(',');
    // The first answer lists no earlier writes, so every listener reads for itself.
    for (const listener of listeners)
      if (isFirst || everybody === 't' || clients.some((id) => hasAccess(listener, id))) listener.wake();
    return more === 't';
  }

  async function round(): Promise<void> {
    let pauseMs = lookMs;
    try {
      while ((await look()) && listeners.size > 0);
      if (isAway) log.info('changes are looked for again');
      isAway = false;
      pauses.reset();
    } catch (error) {
      // The place may be too old for the database: the next round begins with a new one.
      place = null;
      if (!isAway) log.warn({ err: error }, 'changes cannot be looked for: open streams hear of them later');
      isAway = true;
      pauseMs = pauses.next();
    }
    looking = undefined;
    schedule(pauseMs);
  }

  function schedule(ms: number): void {
    if (isClosed || looking !== undefined) return;
    clearTimeout(timer);
    if (listeners.size === 0) {
      place = null;
      return;
    }
    timer = setTimeout(() => {
      looking = round();
    }, ms).unref();
  }

  return {
    /** Returns the function that removes the listener. The first answer of the database wakes the listener. */
    listen(listener: Listener): () => void {
      listeners.add(listener);
      if (listeners.size === 1) schedule(0);
      return () => {
        listeners.delete(listener);
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

function hasAccess({ clients }: Listener, id: string): boolean {
  return id !== '' && (clients === undefined || clients.has(id));
}
