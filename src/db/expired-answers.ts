import type { Logger } from 'pino';
import { FORGOTTEN_AT_ONCE } from '../limits.ts';
import { type Housekeeping, regularly } from '../regularly.ts';
import type { Database } from './database.ts';

interface ForgettingOptions {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}

/** Removes the answers that were kept for repeated requests and whose time is over. */
export function forgetExpiredAnswers({ database, log }: ForgettingOptions): Housekeeping {
  const forgetAll = async (ending: AbortSignal): Promise<void> => {
    for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE && !ending.aborted; ) {
      const { rows } = await database.callAsLogin({
        text: 'select app.forget_answers($1)',
        values: [FORGOTTEN_AT_ONCE],
      });
      forgotten = Number(rows[0]?.[0]);
    }
  };
  return regularly(forgetAll, 'answers of which the time is over could not be removed yet', log);
}
