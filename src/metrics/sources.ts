import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import type { RequestCounters } from '../counters/counters.ts';
import type { ClockWatch } from '../db/clocks.ts';
import type { Database } from '../db/database.ts';
import type { DatabaseFigures } from '../db/housekeeping.ts';
import type { PeriodicTask } from '../periodic-task.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { Spool } from '../db/refusals/spool.ts';
import type { Documents } from '../documents/documents.ts';
import { countWaitingPasswords } from '../identity/password.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { METRIC_SOURCE_TIMEOUT_MS } from '../limits.ts';
import { createCachedFunction } from '../retries.ts';
import { withTimeout } from '../timeout.ts';
import { createInstruments } from './instruments.ts';

interface ChangeStreamFigures {
  figures(): { readonly open: number; readonly ended: Readonly<Record<string, number>> };
}

export interface MetricSources {
  readonly pools: Readonly<Record<string, Pick<Database, 'figures'>>>;
  readonly audit: Pick<AuditWriter, 'figures'>;
  readonly spool: Pick<Spool, 'figures'>;
  readonly verifier: Pick<TokenVerifier, 'keys'>;
  readonly streams: ChangeStreamFigures;
  readonly clocks: Pick<ClockWatch, 'figures'>;
  readonly documents: Pick<Documents, 'figures'>;
  readonly database: DatabaseFigures;
  readonly housekeeping: Readonly<Record<string, Pick<PeriodicTask, 'ageMs'>>>;
  readonly dataDir: string;
  readonly counters: Pick<RequestCounters, 'isCountingAlone'>;
}

export function registerSourceMetrics(sources: MetricSources, registry: Registry): void {
  const { audit, verifier } = sources;
  const { gauges, counterOf } = createInstruments(registry);
  const poolFigures = () => Object.entries(sources.pools).map(([lane, database]) => ({ lane, ...database.figures() }));
  const spool = unlessLate(() => sources.spool.figures());
  const changes = unlessLate(() => sources.database.undelivered());
  const reminders = unlessLate(() => sources.database.unsent());
  const upkeep = unlessLate(() => sources.database.upkeep());

  counterOf(
    'taxclaims_rights_missing_total',
    'Statements that Postgres refused because the role of the service lacks a right; each such request gets a 503.',
    () => poolFigures().map(({ lane, rightsMissing }) => [{ lane }, rightsMissing]),
    'lane',
  );
  counterOf(
    'taxclaims_jwks_fetches_total',
    'Requests for the keys of the identity provider, by outcome.',
    () => {
      const { fetches, failures } = verifier.keys();
      return [
        [{ outcome: 'keys' }, fetches - failures],
        [{ outcome: 'failure' }, failures],
      ];
    },
    'outcome',
  );
  counterOf(
    'taxclaims_document_store_failures_total',
    'Failures of the document store: unreachable, stalled, or with damaged contents.',
    () => Object.entries(sources.documents.figures()).map(([kind, count]) => [{ kind }, count]),
    'kind',
  );
  counterOf(
    'taxclaims_change_streams_ended_total',
    'Change streams that ended, by reason.',
    () => Object.entries(sources.streams.figures().ended).map(([why, count]) => [{ why }, count]),
    'why',
  );
  gauges({
    taxclaims_change_streams: ['Open change streams.', () => sources.streams.figures().open],
    taxclaims_limits_counted_alone: [
      '1 while this instance counts rate limits by itself because it cannot reach Redis.',
      () => Number(sources.counters.isCountingAlone),
    ],
    taxclaims_database_connections: [
      'Open connections to Postgres, by purpose and state.',
      () =>
        poolFigures().flatMap(({ lane, connections, idle }) => [
          [{ lane, state: 'idle' }, idle],
          [{ lane, state: 'busy' }, connections - idle],
        ]),
      'lane',
      'state',
    ],
    taxclaims_database_pool_size: [
      'Maximum number of connections to Postgres, by purpose.',
      () => poolFigures().map(({ lane, size }) => [{ lane }, size]),
      'lane',
    ],
    taxclaims_database_waiting: [
      'Length of the queue for a connection to Postgres.',
      () => poolFigures().map(({ lane, waiting }) => [{ lane }, waiting]),
      'lane',
    ],
    taxclaims_database_long_requests: [
      'Long lists and imports that hold a connection now.',
      () => poolFigures().reduce((sum, { longRequests }) => sum + longRequests, 0),
    ],
    taxclaims_passwords_waiting: ['Password hashes that are queued or in progress.', countWaitingPasswords],
    taxclaims_refusals_taken: [
      '1 if Postgres stored the last refusals; 0 while the service writes them to the disk.',
      () => Number(audit.figures().isTaking),
    ],
    taxclaims_refusals_waiting: [
      'Refused requests whose response waits until Postgres or the disk has stored the refusal.',
      () => [
        [{ for: 'database' }, audit.figures().waiting],
        [{ for: 'disk' }, audit.figures().spooling],
      ],
      'for',
    ],
    taxclaims_refusals_spool_records: [
      'Refusals on disk that Postgres has not stored yet.',
      async () => (await spool())?.records,
    ],
    taxclaims_refusals_spool_bytes: [
      'Bytes of the refusals on disk, including the set-aside files; at 256 MiB the service returns 503 instead of refusals.',
      async () => (await spool())?.bytes,
    ],
    taxclaims_refusals_spool_oldest_seconds: [
      'Age of the oldest refusal on disk; 0 if there is none.',
      async () => {
        const figures = await spool();
        return figures && secondsOf(figures.oldestMs ?? 0);
      },
    ],
    taxclaims_refusals_set_aside_bytes: [
      'Bytes of refusals that Postgres cannot store and that an operator must inspect.',
      async () => (await spool())?.setAsideBytes,
    ],
    taxclaims_jwks_age_seconds: [
      'Time since the identity provider last returned its keys; absent before the first time.',
      () => secondsOf(verifier.keys().ageMs),
    ],
    taxclaims_clock_ahead_seconds: [
      'Lead of the clock of the provider or of the service over the clock of Postgres; absent while unknown.',
      () => Object.entries(sources.clocks.figures()).map(([clock, ms]) => [{ clock }, secondsOf(ms)]),
      'clock',
    ],
    taxclaims_identity_changes_undelivered: [
      'Changes of rights that the service has not delivered to the identity provider; absent while Postgres does not answer.',
      async () => (await changes())?.changes,
    ],
    taxclaims_identity_changes_oldest_seconds: [
      'Age of the oldest change of rights that the service has not delivered to the identity provider.',
      async () => (await changes())?.oldestSeconds,
    ],
    taxclaims_reminders_unsent: [
      'Reminders by mail that wait to be sent; absent while Postgres does not answer.',
      async () => (await reminders())?.mails,
    ],
    taxclaims_reminders_oldest_seconds: [
      'Longest time that a user has waited for a reminder.',
      async () => (await reminders())?.oldestSeconds,
    ],
    taxclaims_reminders_cut_off: [
      'Reminders of the last 90 days that were sent again because the mail server did not answer; each may have arrived twice.',
      async () => (await reminders())?.cutOff,
    ],
    taxclaims_database_objections: [
      'Reasons why GET /health returns 503 for this database, such as a missing migration; the log names each.',
      unlessLate(() => sources.database.objections()),
    ],
    taxclaims_document_removals_due: [
      'Contents of deleted documents that are still in the document store.',
      async () => (await upkeep())?.removals,
    ],
    taxclaims_document_removals_oldest_seconds: [
      'Time since the oldest content of a deleted document should have been removed.',
      async () => (await upkeep())?.removalsOldestSeconds,
    ],
    taxclaims_audit_log_over_retention_seconds: [
      'Time since the oldest audit record exceeded AUDIT_RETENTION_MONTHS; 0 if none has.',
      unlessLate(() => sources.database.auditLogOverSeconds()),
    ],
    taxclaims_wal_archive_failing_seconds: [
      'Time for which Postgres has failed to archive its write-ahead log; 0 while archiving works, absent without archive_mode.',
      async () => (await upkeep())?.archiveFailingSeconds,
    ],
    taxclaims_housekeeping_age_seconds: [
      'Time since a periodic task last succeeded; `lost_clients` runs every five seconds, the other tasks every ten minutes.',
      () => Object.entries(sources.housekeeping).map(([task, { ageMs }]) => [{ task }, secondsOf(ageMs())]),
      'task',
    ],
    taxclaims_data_dir_free_ratio: [
      'Free part of the disk of DATA_DIR, from 0 to 1.',
      unlessLate(async () => {
        const { bavail, blocks } = await statfs(sources.dataDir);
        return bavail / blocks;
      }),
    ],
  });
}

const secondsOf = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000);

/** Calls `read` at most once at a time; the result is undefined if the call fails or takes too long. */
function unlessLate<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  const readShared = createCachedFunction(read);
  return () =>
    withTimeout(METRIC_SOURCE_TIMEOUT_MS, readShared(), () => new Error('it was not known in time')).catch(
      () => undefined,
    );
}
