import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { type Housekeeping, regularly } from './housekeeping.ts';

/** Enough for a quiet moment's work, so that no sweep holds many rows at once. */
const BATCH = 500;

interface ForgettingOptions {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}

/**
 * Removes the answers that were kept for repeated requests and whose time is over: at the start, for what an instance
 * that was down has left, and then every ten minutes.
 */
export function forgetExpiredAnswers({ database, log }: ForgettingOptions): Housekeeping {
  let closed = false;

  async function forgetAll(): Promise<void> {
    for (let forgotten = BATCH; forgotten === BATCH && !closed; ) {
      const { rows } = await database.callAsLogin({ text: 'select app.forget_answers($1)', values: [BATCH] });
      forgotten = Number(rows[0]?.[0]);
    }
  }

  const sweeping = regularly(forgetAll, 'answers of which the time is over could not be removed yet', log);
  return {
    ...sweeping,
    async close() {
      closed = true;
      await sweeping.close();
    },
  };
}
