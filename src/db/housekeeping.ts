import type { Logger } from 'pino';
import { ROWS_OF_ONE_DELETE, RETENTION_LOG_PAUSE_MS, UNASSIGNMENT_PAUSE_MS } from '../limits.ts';
import { type PeriodicTask, runPeriodically } from '../periodic-task.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';
import { createIdentityChangeQueue } from './identity-changes.ts';
import { readObjections } from './objections.ts';
import { createReminderQueue } from './reminders.ts';

export function scheduleExpiredAnswerDeletion(database: DatabaseLogin, log: Logger): PeriodicTask {
  const deleteExpired = async (ending: AbortSignal): Promise<void> => {
    for (let deleted = ROWS_OF_ONE_DELETE; deleted === ROWS_OF_ONE_DELETE && !ending.aborted; ) {
      const [row] = await readAsLogin(database, 'select app.forget_answers($1)', ROWS_OF_ONE_DELETE);
      deleted = Number(row?.[0]);
    }
  };
  return runPeriodically(deleteExpired, 'expired responses of Idempotency-Key could not be deleted yet', log);
}

/** Removes users from the claims and open tasks of the clients that they lost, batch by batch. */
export function scheduleUnassignment(database: DatabaseLogin, log: Logger): PeriodicTask {
  const unassign = async (ending: AbortSignal): Promise<void> => {
    while (!ending.aborted && (await readAsLogin(database, 'select app.unassign_lost_clients()'))[0]?.[0] === 't');
  };
  return runPeriodically(
    unassign,
    'users could not be removed yet from the claims of clients that they lost',
    log,
    UNASSIGNMENT_PAUSE_MS,
  );
}

function scheduleAuditLogUpkeep(database: DatabaseLogin, log: Logger, retentionMonths: number): PeriodicTask {
  let warnedMs = -Infinity;
  const tend = async (): Promise<void> => {
    const [row] = await readAsLogin(database, 'select app.tend_audit_log()');
    const created = Number(row?.[0]);
    if (created > 0) log.info(`created ${String(created)} partitions of coming months of the audit log`);
    await readAsLogin(database, 'select app.count_audit_days()');
    if (performance.now() - warnedMs < RETENTION_LOG_PAUSE_MS) return;
    const days = Math.ceil((await secondsOver(database, retentionMonths)) / 86_400);
    if (days > 0) log.warn({ days, retentionMonths }, 'audit records are kept for longer than AUDIT_RETENTION_MONTHS');
    warnedMs = performance.now();
  };
  return runPeriodically(tend, 'the partitions of the audit log could not be created or counted yet', log);
}

/** Schedules what the database needs from time to time; the names of the tasks are those of their metrics. */
export function scheduleHousekeeping(database: DatabaseLogin, log: Logger, retentionMonths: number) {
  return {
    kept_answers: scheduleExpiredAnswerDeletion(database, log),
    lost_clients: scheduleUnassignment(database, log),
    audit_log_months: scheduleAuditLogUpkeep(database, log, retentionMonths),
  };
}

async function secondsOver(database: DatabaseLogin, retentionMonths: number): Promise<number> {
  const [row] = await readAsLogin(database, 'select app.audit_log_over($1)', retentionMonths);
  return Number(row?.[0]);
}

export type DatabaseFigures = ReturnType<typeof createDatabaseFigureReaders>;

export function createDatabaseFigureReaders(database: DatabaseLogin, retentionMonths: number) {
  const changes = createIdentityChangeQueue(database);
  const reminders = createReminderQueue(database);
  return {
    undelivered: () => changes.countUndelivered(),
    unsent: () => reminders.countUnsent(),
    objections: async () => (await readObjections(database)).length,
    auditLogOverSeconds: () => secondsOver(database, retentionMonths),
    upkeep: async () => {
      const [row = []] = await readAsLogin(database, DATABASE_FIGURES_QUERY);
      const [removals, oldest, archive] = row;
      return {
        removals: Number(removals),
        removalsOldestSeconds: Number(oldest),
        /** For how long Postgres has failed to archive its write-ahead log; undefined if archive_mode is off. */
        archiveFailingSeconds: archive == null ? undefined : Number(archive),
      };
    },
  };
}

const DATABASE_FIGURES_QUERY = `
select
    r.contents,
    r.oldest_seconds,
    case
        when current_setting('archive_mode') = 'off' then null
        when a.last_failed_time > coalesce(a.last_archived_time, '-infinity')
            then extract(epoch from clock_timestamp() - coalesce(a.last_archived_time, a.stats_reset))
        else 0
    end
from app.overdue_removals() as r
cross join pg_catalog.pg_stat_archiver as a`;
