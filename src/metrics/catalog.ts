interface Described {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

export interface GaugeEntry extends Described {
  readonly type: 'gauge';
}
export interface CounterEntry extends Described {
  readonly type: 'counter';
}
export interface HistogramEntry extends Described {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
}
export type Entry = GaugeEntry | CounterEntry | HistogramEntry;

const gauge = (name: string, help: string, ...labelNames: readonly string[]): GaugeEntry => ({
  ...{ type: 'gauge', name, help, labelNames },
});
const counter = (name: string, help: string, ...labelNames: readonly string[]): CounterEntry => ({
  ...{ type: 'counter', name, help, labelNames },
});
const histogram = (
  name: string,
  buckets: readonly number[],
  help: string,
  ...labelNames: readonly string[]
): HistogramEntry => ({ type: 'histogram', name, buckets, help, labelNames });

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SMALL_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Every metric of ours, as in docs/metrics.md. No label names a person, client, record or sent path. */
export const CATALOG = {
  requests: histogram(
    'taxclaims_http_request_duration_seconds',
    REQUEST_SECONDS,
    'How long a request took, until its answer was taken.',
    ...['route', 'method', 'role', 'status'],
  ),
  authorization: histogram(
    'taxclaims_authorization_duration_seconds',
    SMALL_SECONDS,
    'What a request spent on what its caller may: token, limit, role, and in the database begin, settings, authenticate.',
    'role',
  ),
  inFlight: gauge('taxclaims_http_requests_in_flight', 'Requests that are not answered yet.'),
  refusedConnections: counter(
    'taxclaims_http_connections_refused_total',
    'What never became a request of an endpoint, by why.',
    'why',
  ),
  refusals: counter(
    'taxclaims_refusals_total',
    'Answers 401 and 403, by what they were about; each has its audit record.',
    'kind',
  ),
  limited: counter('taxclaims_rate_limited_total', 'Answers 429, by who wanted to be asked less.', 'limiter'),
  unavailable: counter('taxclaims_unavailable_total', 'Answers 503, by what was missing.', 'cause'),
  countedAlone: gauge(
    'taxclaims_limits_counted_alone',
    '1 while this instance counts requests by itself, since it cannot reach where all count together.',
  ),
  connections: gauge(
    'taxclaims_database_connections',
    'Connections to Postgres that are open, by what they are for.',
    ...['lane', 'state'],
  ),
  poolSize: gauge(
    'taxclaims_database_pool_size',
    'How many connections to Postgres there may be at once, by what they are for.',
    'lane',
  ),
  rightsMissing: counter(
    'taxclaims_rights_missing_total',
    'Statements that Postgres refused because the service itself lacks a right; each such request is answered 503.',
    'lane',
  ),
  waiting: gauge(
    'taxclaims_database_waiting',
    'How many wait for a connection to Postgres at present.',
    'lane',
  ),
  waited: histogram(
    'taxclaims_database_wait_seconds',
    SMALL_SECONDS,
    'How long a wait for a connection to Postgres took, in vain or not.',
    'lane',
  ),
  longRequests: gauge(
    'taxclaims_database_long_requests',
    'Long lists and imports that have a connection for longer than others.',
  ),
  passwordsWaiting: gauge(
    'taxclaims_passwords_waiting',
    'How many wait for the hash of a password, with the one that is worked out.',
  ),
  refusalsTaken: gauge(
    'taxclaims_refusals_taken',
    'Whether Postgres took the last refusals: 0 while they go to the disk.',
  ),
  refusalsWaiting: gauge(
    'taxclaims_refusals_waiting',
    'Refusals whose answer waits until they are kept, by what for.',
    'for',
  ),
  spoolRecords: gauge('taxclaims_refusals_spool_records', 'Refusals on disk that wait for Postgres.'),
  spoolBytes: gauge(
    'taxclaims_refusals_spool_bytes',
    'Bytes of the refusals on disk, with what was set aside; at 256 MiB refusing stops, and answers are 503.',
  ),
  spoolOldest: gauge(
    'taxclaims_refusals_spool_oldest_seconds',
    'How long ago the oldest refusal on disk was refused; 0 where none waits.',
  ),
  setAside: gauge(
    'taxclaims_refusals_set_aside_bytes',
    'Bytes of refusals that Postgres will never take, and a person has to look at.',
  ),
  keysAge: gauge(
    'taxclaims_jwks_age_seconds',
    'Since the identity provider gave its keys the last time; absent until it did.',
  ),
  keysFetched: counter(
    'taxclaims_jwks_fetches_total',
    'How often the identity provider was asked for its keys, by what came of it.',
    'outcome',
  ),
  clocksAhead: gauge(
    'taxclaims_clock_ahead_seconds',
    'By how much the clock of the provider or of the service is ahead of that of Postgres; absent while not known.',
    'clock',
  ),
  storeFailures: counter(
    'taxclaims_document_store_failures_total',
    'How often the document store did not do what it must: it was away, stood still, or had other bytes.',
    'kind',
  ),
  changes: gauge(
    'taxclaims_identity_changes_undelivered',
    'Changes of rights that the identity provider does not know yet; absent while Postgres does not say.',
  ),
  changesOldest: gauge(
    'taxclaims_identity_changes_oldest_seconds',
    'For how long the oldest change of rights has waited to be told to the identity provider.',
  ),
  objections: gauge(
    'taxclaims_database_objections',
    'Reasons why GET /health refuses this database, such as a missing migration; the log names each.',
  ),
  removalsDue: gauge(
    'taxclaims_document_removals_due',
    'Contents of deleted documents that the document store must still lose.',
  ),
  removalsOldest: gauge(
    'taxclaims_document_removals_oldest_seconds',
    'For how long the oldest of these contents has been due.',
  ),
  archiveFailing: gauge(
    'taxclaims_wal_archive_failing_seconds',
    'For how long Postgres has archived no write-ahead log although it tried; 0 while it does, absent without archive_mode.',
  ),
  houseAge: gauge(
    'taxclaims_housekeeping_age_seconds',
    'How long ago a periodic task last succeeded; each runs every ten minutes.',
    'task',
  ),
  diskFree: gauge('taxclaims_data_dir_free_ratio', 'Free part of the disk that DATA_DIR is on, from 0 to 1.'),
  heapLimit: gauge(
    'taxclaims_heap_limit_bytes',
    'How large the heap of V8 may become before the process ends; compare nodejs_heap_size_used_bytes.',
  ),
} as const satisfies Readonly<Record<string, Entry>>;
