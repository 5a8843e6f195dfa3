import type { Logger } from 'pino';
import { type Housekeeping, regularly } from '../regularly.ts';
import type { Database } from './database.ts';

export type { Housekeeping } from '../regularly.ts';

/** Makes the months of the audit log before they come, and counts the days that are over. */
export function tendAuditLog(database: Pick<Database, 'callAsLogin'>, log: Logger): Housekeeping {
  const make = async (): Promise<void> => {
    const { rows } = await database.callAsLogin({ text: 'select app.tend_audit_log()', values: [] });
    const made = Number(rows[0]?.[0]);
    if (made > 0) log.info(`made ${String(made)} months of the audit log ahead`);
    await database.callAsLogin({ text: 'select app.count_audit_days()', values: [] });
  };
  return regularly(make, 'the months of the audit log could not be made or counted yet', log);
}
