import type { Logger } from 'pino';
import { FORGOTTEN_AT_ONCE } from '../limits.ts';
import { type Housekeeping, regularly } from '../regularly.ts';
import type { Database } from './database.ts';

interface ForgettingOptions {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}

export function forgetExpiredAnswers(options: ForgettingOptions): Housekeeping {
  return forgetExpired({ ...options, text: 'select app.forget_answers($1)', what: 'answers' });
}

/** The statement takes how many to remove at most, and gives how many it did. */
export function forgetExpired({
  database,
  log,
  text,
  what,
}: ForgettingOptions & { readonly text: string; readonly what: string }): Housekeeping {
  const forgetAll = async (ending: AbortSignal): Promise<void> => {
    for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE && !ending.aborted; ) {
      const { rows } = await database.callAsLogin({ text, values: [FORGOTTEN_AT_ONCE] });
      forgotten = Number(rows[0]?.[0]);
    }
  };
  return regularly(forgetAll, `${what} of which the time is over could not be removed yet`, log);
}
