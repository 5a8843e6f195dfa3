import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { type Housekeeping, regularly } from './housekeeping.ts';

/** Enough for a quiet moment's work, so that no sweep holds many rows at once. */
const BATCH = 500;

interface ForgettingOptions {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}

/** The answers that are kept for repeated requests. */
export function forgetExpiredAnswers(options: ForgettingOptions): Housekeeping {
  return forgetExpired({ ...options, text: 'select app.forget_answers($1)', what: 'answers' });
}

/**
 * Sweeps at the start, for what an instance that was down has left, and then every ten minutes. The statement takes how
 * many to remove at most, and gives how many it did.
 */
export function forgetExpired({
  database,
  log,
  text,
  what,
}: ForgettingOptions & { readonly text: string; readonly what: string }): Housekeeping {
  let closed = false;

  async function forgetAll(): Promise<void> {
    for (let forgotten = BATCH; forgotten === BATCH && !closed; ) {
      const { rows } = await database.callAsLogin({ text, values: [BATCH] });
      forgotten = Number(rows[0]?.[0]);
    }
  }

  const sweeping = regularly(forgetAll, `${what} of which the time is over could not be removed yet`, log);
  return {
    ...sweeping,
    async close() {
      closed = true;
      await sweeping.close();
    },
  };
}
