import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { LIMITER_NAMES, REFUSAL_KINDS, UNAVAILABLE_CAUSES, type ErrorCode } from '../errors.ts';
import { computeAuthorizationMs, type ObservedRequest } from '../observed.ts';
import { VERSION } from '../version.ts';
import { createInstruments } from './instruments.ts';
import { registerSourceMetrics, type MetricSources } from './sources.ts';

const REQUEST_DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SHORT_DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { gauges, counter, histogram } = createInstruments(registry);
  const requests = histogram(
    'taxclaims_http_request_duration_seconds',
    'Duration of a request until the caller received the response.',
    REQUEST_DURATION_BUCKETS,
    'route',
    'method',
    'role',
    'status',
  );
  const authorizations = histogram(
    'taxclaims_authorization_duration_seconds',
    'Time of a request for its authorization: token, rate limit, role check, and in Postgres begin, settings and user lookup.',
    SHORT_DURATION_BUCKETS,
    'role',
  );
  const waits = histogram(
    'taxclaims_database_wait_seconds',
    'Time spent in the queue for a connection to Postgres, including failed waits.',
    SHORT_DURATION_BUCKETS,
    'lane',
  );
  const refusedConnections = counter(
    'taxclaims_http_connections_refused_total',
    'Connections and requests that the service closed before any endpoint, by reason.',
    'why',
  );
  const refusals = counter(
    'taxclaims_refusals_total',
    'Responses 401 and 403, and 404 of calendars, by kind; each has an audit record.',
    'kind',
  );
  const rateLimits = counter('taxclaims_rate_limited_total', 'Responses 429, by the limit that refused.', 'limiter');
  const unavailable = counter('taxclaims_unavailable_total', 'Responses 503, by cause.', 'cause');
  // Creates each counter with zero at the start: an alert notices the first refusal only if the counter existed before.
  for (const kind of REFUSAL_KINDS) refusals.inc({ kind }, 0);
  refusedConnections.inc({ why: 'no_room' }, 0);
  for (const limiter of LIMITER_NAMES) rateLimits.inc({ limiter }, 0);
  for (const cause of UNAVAILABLE_CAUSES) unavailable.inc({ cause }, 0);
  let inFlight = 0;
  gauges({
    taxclaims_build_info: [
      'Always 1; the label has the running release.',
      () => [[{ version: VERSION }, 1]],
      'version',
    ],
    taxclaims_heap_limit_bytes: [
      'Heap limit of V8, at which the process ends; compare nodejs_heap_size_used_bytes.',
      () => getHeapStatistics().heap_size_limit,
    ],
    taxclaims_http_requests_in_flight: ['Requests without a response yet.', () => inFlight],
  });

  return {
    registry,
    poolWaited: (lane: string) => (ms: number) => {
      waits.observe({ lane }, ms / 1_000);
    },
    connectionRefused: (why: ErrorCode | 'no_room') => {
      refusedConnections.inc({ why });
    },
    collectFromParts: (sources: MetricSources) => {
      registerSourceMetrics(sources, registry);
    },
    requestStarted: () => {
      inFlight += 1;
    },
    requestEnded: ({ route, method, role, status, error, timeline, endedMs }: ObservedRequest) => {
      inFlight -= 1;
      requests.observe({ route, method, role, status }, (endedMs - timeline.begunMs) / 1_000);
      const authorizationMs = computeAuthorizationMs(timeline);
      if (authorizationMs !== undefined) authorizations.observe({ role }, authorizationMs / 1_000);
      const kind = error?.kind ?? 'other';
      if (status === 401 || status === 403 || kind === 'calendar') refusals.inc({ kind });
      if (status === 429) rateLimits.inc({ limiter: kind });
      if (status === 503) unavailable.inc({ cause: kind });
    },
  };
}
