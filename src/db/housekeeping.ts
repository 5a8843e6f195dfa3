import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** What is to be done from time to time, whoever asks for what. */
export interface Housekeeping {
  /** Does it now. Never rejects: what failed is done the next time. */
  sweep(): Promise<void>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

const INTERVAL_MS = 600_000;

/** Works at the start, for what an instance that was down has left, and then every ten minutes. */
export function regularly(work: () => Promise<void>, failed: string, log: Logger): Housekeeping {
  let underWay: Promise<void> = Promise.resolve();

  function sweep(): Promise<void> {
    underWay = underWay.then(work).catch((error: unknown) => {
      log.error({ err: error }, failed);
    });
    return underWay;
  }

  void sweep();
  const timer = setInterval(() => void sweep(), INTERVAL_MS).unref();
  return {
    sweep,
    async close() {
      clearInterval(timer);
      await underWay;
    },
  };
}

/** Makes the months of the audit log before they come. */
export function tendAuditLog({
  database,
  log,
}: {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}): Housekeeping {
  const make = async (): Promise<void> => {
    const { rows } = await database.callAsLogin({ text: 'select app.tend_audit_log()', values: [] });
    const made = Number(rows[0]?.[0]);
    if (made > 0) log.info(`made ${String(made)} months of the audit log ahead`);
  };
  return regularly(make, 'the months of the audit log could not be made yet', log);
}
