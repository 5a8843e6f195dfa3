import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** Removes the answers of which the time is over. */
export interface Forgetting {
  /** Resolves when all of them are gone that there are. Never rejects: what is left the next sweep finds. */
  sweep(): Promise<void>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Enough for a quiet moment's work, so that no sweep holds many rows at once. */
const BATCH = 500;
const INTERVAL_MS = 600_000;

/** Sweeps at the start, for what an instance that was down has left, and then every ten minutes. */
export function forgetExpiredAnswers({
  database,
  log,
}: {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}): Forgetting {
  let closed = false;
  let underWay: Promise<void> = Promise.resolve();

  async function forgetAll(): Promise<void> {
    for (let forgotten = BATCH; forgotten === BATCH && !closed; ) {
      const { rows } = await database.callAsLogin({ text: 'select app.forget_answers($1)', values: [BATCH] });
      forgotten = Number(rows[0]?.[0]);
    }
  }

  function sweep(): Promise<void> {
    underWay = underWay.then(forgetAll).catch((error: unknown) => {
      log.error({ err: error }, 'answers of which the time is over could not be removed yet');
    });
    return underWay;
  }

  void sweep();
  const timer = setInterval(() => void sweep(), INTERVAL_MS).unref();
  return {
    sweep,
    async close() {
      closed = true;
      clearInterval(timer);
      await underWay;
    },
  };
}
