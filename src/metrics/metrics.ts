import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { LIMITERS, REFUSAL_KINDS, UNAVAILABLE_CAUSES, type ErrorCode } from '../errors.ts';
import { authorizationMs, type ObservedRequest } from '../observed.ts';
import { VERSION } from '../version.ts';
import { instrumentsOf } from './instruments.ts';
import { collectFrom, type MeasuredParts } from './sources.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SMALL_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { gauges, counter, histogram } = instrumentsOf(registry);
  const requests = histogram(
    'taxclaims_http_request_duration_seconds',
    'How long a request took, until its answer was taken.',
    REQUEST_SECONDS,
    ...['route', 'method', 'role', 'status'],
  );
  const authorization = histogram(
    'taxclaims_authorization_duration_seconds',
    'What a request spent on what its caller may: token, limit, role, and in the database begin, settings, authenticate.',
    SMALL_SECONDS,
    'role',
  );
  const waits = histogram(
    'taxclaims_database_wait_seconds',
    'How long a wait for a connection to Postgres took, in vain or not.',
    SMALL_SECONDS,
    'lane',
  );
  const refused = counter(
    'taxclaims_http_connections_refused_total',
    'What never became a request of an endpoint, by why.',
    'why',
  );
  const refusals = counter(
    'taxclaims_refusals_total',
    'Answers 401 and 403, and 404 of calendars, by what they were about; each has its audit record.',
    'kind',
  );
  const limited = counter(
    'taxclaims_rate_limited_total',
    'Answers 429, by who wanted to be asked less.',
    'limiter',
  );
  const unavailable = counter('taxclaims_unavailable_total', 'Answers 503, by what was missing.', 'cause');
  // An alert notices the first refusal only if the counter was there before, as zero.
  for (const kind of REFUSAL_KINDS) refusals.inc({ kind }, 0);
  refused.inc({ why: 'no_room' }, 0);
  for (const limiter of LIMITERS) limited.inc({ limiter }, 0);
  for (const cause of UNAVAILABLE_CAUSES) unavailable.inc({ cause }, 0);
  let inFlight = 0;
  gauges({
    taxclaims_build_info: [
      'Always 1; the label says which release runs.',
      () => [[{ version: VERSION }, 1]],
      'version',
    ],
    taxclaims_heap_limit_bytes: [
      'How large the heap of V8 may become before the process ends; compare nodejs_heap_size_used_bytes.',
      () => getHeapStatistics().heap_size_limit,
    ],
    taxclaims_http_requests_in_flight: ['Requests that are not answered yet.', () => inFlight],
  });

  return {
    registry,
    poolWaited: (lane: string) => (ms: number) => {
      waits.observe({ lane }, ms / 1_000);
    },
    connectionRefused: (why: ErrorCode | 'no_room') => {
      refused.inc({ why });
    },
    collectFromParts: (sources: MeasuredParts) => {
      collectFrom(sources, registry);
    },
    requestStarted: () => {
      inFlight += 1;
    },
    requestEnded: ({ route, method, role, status, error, timeline, endedMs }: ObservedRequest) => {
      inFlight -= 1;
      requests.observe({ route, method, role, status }, (endedMs - timeline.begunMs) / 1_000);
      const authorizing = authorizationMs(timeline);
      if (authorizing !== undefined) authorization.observe({ role }, authorizing / 1_000);
      const kind = error?.kind ?? 'other';
      if (status === 401 || status === 403 || kind === 'calendar') refusals.inc({ kind });
      if (status === 429) limited.inc({ limiter: kind });
      if (status === 503) unavailable.inc({ cause: kind });
    },
  };
}
