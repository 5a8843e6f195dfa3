import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import type { Counters } from '../counters/counters.ts';
import type { Clocks } from '../db/clocks.ts';
import type { Database } from '../db/database.ts';
import type { DatabaseFigures } from '../db/housekeeping.ts';
import type { PeriodicTask } from '../regularly.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { Spool } from '../db/refusals/spool.ts';
import type { Documents } from '../documents/documents.ts';
import { passwordsWaiting } from '../identity/password.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { METRICS_ANSWER_MS } from '../limits.ts';
import { cacheCalls } from '../retries.ts';
import { withTimeout } from '../within.ts';
import { instrumentsOf } from './instruments.ts';

export interface ChangeStreamFigures {
  figures(): { readonly open: number; readonly ended: Readonly<Record<string, number>> };
}

export interface MeasuredParts {
  readonly lanes: Readonly<Record<string, Pick<Database, 'figures'>>>;
  readonly audit: Pick<AuditWriter, 'figures'>;
  readonly spool: Pick<Spool, 'figures'>;
  readonly verifier: Pick<TokenVerifier, 'keys'>;
  readonly streams: ChangeStreamFigures;
  readonly clocks: Pick<Clocks, 'figures'>;
  readonly documents: Pick<Documents, 'figures'>;
  readonly database: DatabaseFigures;
  readonly housekeeping: Readonly<Record<string, Pick<PeriodicTask, 'ageMs'>>>;
  readonly dataDir: string;
  readonly counters: Pick<Counters, 'isCountingAlone'>;
}

export function collectFrom(sources: MeasuredParts, registry: Registry): void {
  const { audit, verifier } = sources;
  const { gauges, counterOf } = instrumentsOf(registry);
  const lanes = () =>
    Object.entries(sources.lanes).map(([lane, database]) => ({ lane, ...database.figures() }));
  const spool = withinTime(() => sources.spool.figures());
  const changes = withinTime(() => sources.database.undelivered());
  const reminders = withinTime(() => sources.database.unsent());
  const upkeep = withinTime(() => sources.database.upkeep());

  counterOf(
    'taxclaims_rights_missing_total',
    'Statements that Postgres refused because the service itself lacks a right; each such request is answered 503.',
    () => lanes().map(({ lane, rightsMissing }) => [{ lane }, rightsMissing]),
    'lane',
  );
  counterOf(
    'taxclaims_jwks_fetches_total',
    'How often the identity provider was asked for its keys, by what came of it.',
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
    'How often the document store did not do what it must: it was away, stood still, or had other bytes.',
    () => Object.entries(sources.documents.figures()).map(([kind, count]) => [{ kind }, count]),
    'kind',
  );
  counterOf(
    'taxclaims_change_streams_ended_total',
    'Streams of changes that ended, by why.',
    () => Object.entries(sources.streams.figures().ended).map(([why, count]) => [{ why }, count]),
    'why',
  );
  gauges({
    taxclaims_change_streams: ['Streams of changes that are open.', () => sources.streams.figures().open],
    taxclaims_limits_counted_alone: [
      '1 while this instance counts requests by itself, since it cannot reach where all count together.',
      () => Number(sources.counters.isCountingAlone),
    ],
    taxclaims_database_connections: [
      'Connections to Postgres that are open, by what they are for.',
      () =>
        lanes().flatMap(({ lane, connections, idle }) => [
          [{ lane, state: 'idle' }, idle],
          [{ lane, state: 'busy' }, connections - idle],
        ]),
      ...['lane', 'state'],
    ],
    taxclaims_database_pool_size: [
      'How many connections to Postgres there may be at once, by what they are for.',
      () => lanes().map(({ lane, size }) => [{ lane }, size]),
      'lane',
    ],
    taxclaims_database_waiting: [
      'How many wait for a connection to Postgres at present.',
      () => lanes().map(({ lane, waiting }) => [{ lane }, waiting]),
      'lane',
    ],
    taxclaims_database_long_requests: [
      'Long lists and imports that have a connection for longer than others.',
      () => lanes().reduce((sum, { longRequests }) => sum + longRequests, 0),
    ],
    taxclaims_passwords_waiting: [
      'How many wait for the hash of a password, with the one that is worked out.',
      passwordsWaiting,
    ],
    taxclaims_refusals_taken: [
      'Whether Postgres took the last refusals: 0 while they go to the disk.',
      () => Number(audit.figures().isTaking),
    ],
    taxclaims_refusals_waiting: [
      'Refusals whose answer waits until they are kept, by what for.',
      () => [
        [{ for: 'database' }, audit.figures().waiting],
        [{ for: 'disk' }, audit.figures().spooling],
      ],
      'for',
    ],
    taxclaims_refusals_spool_records: [
      'Refusals on disk that wait for Postgres.',
      async () => (await spool())?.records,
    ],
    taxclaims_refusals_spool_bytes: [
      'Bytes of the refusals on disk, with what was set aside; at 256 MiB refusing stops, and answers are 503.',
      async () => (await spool())?.bytes,
    ],
    taxclaims_refusals_spool_oldest_seconds: [
      'How long ago the oldest refusal on disk was refused; 0 where none waits.',
      async () => {
        const figures = await spool();
        return figures && seconds(figures.oldestMs ?? 0);
      },
    ],
    taxclaims_refusals_set_aside_bytes: [
      'Bytes of refusals that Postgres will never take, and a person has to look at.',
      async () => (await spool())?.setAsideBytes,
    ],
    taxclaims_jwks_age_seconds: [
      'Since the identity provider gave its keys the last time; absent until it did.',
      () => seconds(verifier.keys().ageMs),
    ],
    taxclaims_clock_ahead_seconds: [
      'By how much the clock of the provider or of the service is ahead of that of Postgres; absent while not known.',
      () => Object.entries(sources.clocks.figures()).map(([clock, ms]) => [{ clock }, seconds(ms)]),
      'clock',
    ],
    taxclaims_identity_changes_undelivered: [
      'Changes of rights that the identity provider does not know yet; absent while Postgres does not say.',
      async () => (await changes())?.changes,
    ],
    taxclaims_identity_changes_oldest_seconds: [
      'For how long the oldest change of rights has waited to be told to the identity provider.',
      async () => (await changes())?.oldestSeconds,
    ],
    taxclaims_reminders_unsent: [
      'Reminders by mail that are yet to be made or sent; absent while Postgres does not say.',
      async () => (await reminders())?.mails,
    ],
    taxclaims_reminders_oldest_seconds: [
      'For how long the user who has waited longest has waited for a reminder.',
      async () => (await reminders())?.oldestSeconds,
    ],
    taxclaims_reminders_cut_off: [
      'Times in 90 days that a reminder was handed over without an answer and sent again: at most as many mails came twice.',
      async () => (await reminders())?.cutOff,
    ],
    taxclaims_database_objections: [
      'Reasons why GET /health refuses this database, such as a missing migration; the log names each.',
      withinTime(() => sources.database.objections()),
    ],
    taxclaims_document_removals_due: [
      'Contents of deleted documents that the document store must still lose.',
      async () => (await upkeep())?.removals,
    ],
    taxclaims_document_removals_oldest_seconds: [
      'For how long the oldest of these contents has been due.',
      async () => (await upkeep())?.removalsOldestSeconds,
    ],
    taxclaims_audit_log_over_retention_seconds: [
      'For how long the oldest audit record has been over AUDIT_RETENTION_MONTHS; 0 if none is.',
      withinTime(() => sources.database.auditLogOverSeconds()),
    ],
    taxclaims_wal_archive_failing_seconds: [
      'For how long Postgres has archived no write-ahead log although it tried; 0 while it does, absent without archive_mode.',
      async () => (await upkeep())?.archiveFailingSeconds,
    ],
    taxclaims_housekeeping_age_seconds: [
      'How long ago a periodic task last succeeded; each runs every ten minutes.',
      () => Object.entries(sources.housekeeping).map(([task, { ageMs }]) => [{ task }, seconds(ageMs())]),
      'task',
    ],
    taxclaims_data_dir_free_ratio: [
      'Free part of the disk that DATA_DIR is on, from 0 to 1.',
      withinTime(async () => {
        const { bavail, blocks } = await statfs(sources.dataDir);
        return bavail / blocks;
      }),
    ],
  });
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000);

/** Asks once at a time; gives undefined where the answer fails or comes too late. */
function withinTime<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  const once = cacheCalls(ask);
  return () =>
    withTimeout(METRICS_ANSWER_MS, once(), () => new Error('it was not known in time')).catch(
      () => undefined,
    );
}
