import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** What is to be done from time to time, whoever asks for what. */
export interface Housekeeping {
  /** Does it now. Never rejects: what failed is done the next time. */
  sweep(): Promise<void>;
  /** Since it succeeded last, or since the start where it never did. */
  ageMs(): number;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

const INTERVAL_MS = 600_000;

/** Works at the start, for what an instance that was down has left, and then every ten minutes, or as often as it says. */
export function regularly(
  work: () => Promise<void>,
  failed: string,
  log: Logger,
  everyMs = INTERVAL_MS,
): Housekeeping {
  let underWay: Promise<void> = Promise.resolve();
  let succeededMs = performance.now();

  function sweep(): Promise<void> {
    underWay = underWay
      .then(work)
      .then(() => {
        succeededMs = performance.now();
      })
      .catch((error: unknown) => {
        log.error({ err: error }, failed);
      });
    return underWay;
  }

  void sweep();
  const timer = setInterval(() => void sweep(), everyMs).unref();
  return {
    sweep,
    ageMs: () => performance.now() - succeededMs,
    async close() {
      clearInterval(timer);
      await underWay;
    },
  };
}

/** Makes the months of the audit log before they come, and counts the days that are over. */
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
    await database.callAsLogin({ text: 'select app.count_audit_days()', values: [] });
  };
  return regularly(make, 'the months of the audit log could not be made or counted yet', log);
}
