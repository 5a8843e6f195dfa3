import pRetry from 'p-retry';
import type { Logger } from 'pino';
import type { Postmaster } from './postmaster.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A server that ran for as long as this ended for a new reason, and is started again without a pause. */
const STEADY_MS = 60_000;

export interface Supervised {
  /** Stops the server for good, also one that is just being started; safe to call twice. */
  stop(withinMs?: number): Promise<void>;
}

/** Starts a server again whenever it ends, for as long as nobody stops it; the pauses grow, and are bounded. */
export function supervise(
  first: Postmaster,
  startAgain: (ending: AbortSignal) => Promise<Postmaster>,
  log: Logger,
): Supervised {
  const ending = new AbortController();
  const { signal } = ending;
  let current = first;
  let since = performance.now();

  const over = pRetry(
    async (attempt) => {
      if (attempt > 1) {
        since = performance.now();
        current = await startAgain(signal);
        if (signal.aborted) await current.stop();
        else log.warn('the embedded Postgres runs again');
      }
      await current.ended;
      if (!signal.aborted) throw new Error('the embedded Postgres has ended');
    },
    {
      ...{ retries: Infinity, minTimeout: FIRST_PAUSE_MS, maxTimeout: LONGEST_PAUSE_MS, signal },
      // Stopped, it is over at once, without a last pause.
      shouldRetry: () => !signal.aborted,
      onFailedAttempt: ({ error }) => {
        if (!signal.aborted) log.error({ err: error }, 'the embedded Postgres is down: starting it again');
      },
      shouldConsumeRetry: () => performance.now() - since < STEADY_MS,
    },
  ).catch((error: unknown) => {
    if (!signal.aborted) log.fatal({ err: error }, 'the embedded Postgres is not started again');
  });

  return {
    async stop(withinMs) {
      ending.abort();
      await current.stop(withinMs);
      await over;
    },
  };
}
