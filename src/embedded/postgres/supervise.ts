import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EMBEDDED_RETRY_MS } from '../../limits.ts';
import { Pauses } from '../../retries.ts';
import type { Postmaster } from './postmaster.ts';

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
  const isOver = (): boolean => signal.aborted;
  let current = first;

  async function run(): Promise<void> {
    const pauses = new Pauses(EMBEDDED_RETRY_MS);
    pauses.works();
    await current.ended;
    while (!isOver()) {
      log.error('the embedded Postgres is down: starting it again');
      await delay(pauses.next(), undefined, { signal }).catch(() => undefined);
      try {
        signal.throwIfAborted();
        current = await startAgain(signal);
        if (isOver()) await current.stop();
        else log.warn('the embedded Postgres runs again');
        pauses.works();
        await current.ended;
      } catch (err) {
        if (!isOver()) log.error({ err }, 'the embedded Postgres could not be started again');
      }
    }
  }

  const over = run();
  return {
    async stop(withinMs) {
      ending.abort();
      await current.stop(withinMs);
      await over;
    },
  };
}
