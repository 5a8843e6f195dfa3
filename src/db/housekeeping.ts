import type { Logger } from 'pino';
import { FORGOTTEN_AT_ONCE } from '../limits.ts';
import { type Housekeeping, regularly } from '../regularly.ts';
import type { Database } from './database.ts';

type Asked = Pick<Database, 'callAsLogin'>;

export function forgetExpiredAnswers(database: Asked, log: Logger): Housekeeping {
  const forgetAll = async (ending: AbortSignal): Promise<void> => {
    const statement = { text: 'select app.forget_answers($1)', values: [FORGOTTEN_AT_ONCE] };
    for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE && !ending.aborted; ) {
      const { rows } = await database.callAsLogin(statement);
      forgotten = Number(rows[0]?.[0]);
    }
  };
  return regularly(forgetAll, 'answers of which the time is over could not be removed yet', log);
}

export function tendAuditLog(database: Asked, log: Logger): Housekeeping {
  const make = async (): Promise<void> => {
    const { rows } = await database.callAsLogin({ text: 'select app.tend_audit_log()', values: [] });
    const made = Number(rows[0]?.[0]);
    if (made > 0) log.info(`made ${String(made)} months of the audit log ahead`);
    await database.callAsLogin({ text: 'select app.count_audit_days()', values: [] });
  };
  return regularly(make, 'the months of the audit log could not be made or counted yet', log);
}
