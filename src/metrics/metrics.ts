import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { LIMITERS, REFUSAL_KINDS, UNAVAILABLE_CAUSES } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { authorizationMs } from '../observed.ts';
import type { ObservedRequest, RequestObserver } from '../observed.ts';
import { CATALOG } from './catalog.ts';
import { counter, gaugeOf, histogram } from './instruments.ts';
import { collectFrom } from './sources.ts';
import type { Sources } from './sources.ts';

export interface Metrics extends RequestObserver {
  readonly registry: Registry;
  readonly waited: (lane: string) => (ms: number) => void;
  readonly refusedConnection: (why: ErrorCode | 'no_room') => void;
  from(sources: Sources): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = histogram(registry, CATALOG.requests);
  const authorization = histogram(registry, CATALOG.authorization);
  const waits = histogram(registry, CATALOG.waited);
  const refused = counter(registry, CATALOG.refusedConnections);
  const refusals = counter(registry, CATALOG.refusals);
  const limited = counter(registry, CATALOG.limited);
  const unavailable = counter(registry, CATALOG.unavailable);
  // An alert sees the first one only if there was a zero before it.
  for (const kind of REFUSAL_KINDS) refusals.inc({ kind }, 0);
  refused.inc({ why: 'no_room' }, 0);
  for (const limiter of LIMITERS) limited.inc({ limiter }, 0);
  for (const cause of UNAVAILABLE_CAUSES) unavailable.inc({ cause }, 0);
  gaugeOf(registry, CATALOG.heapLimit, () => getHeapStatistics().heap_size_limit);
  let inFlight = 0;
  gaugeOf(registry, CATALOG.inFlight, () => inFlight);

  return {
    registry,
    waited: (lane) => (ms) => {
      waits.observe({ lane }, ms / 1_000);
    },
    refusedConnection: (why) => {
      refused.inc({ why });
    },
    from: (sources) => {
      collectFrom(sources, registry);
    },
    begun: () => {
      inFlight += 1;
    },
    ended({ route, method, role, status, error, timeline, endedMs }: ObservedRequest) {
      inFlight -= 1;
      requests.observe({ route, method, role, status }, (endedMs - timeline.begunMs) / 1_000);
      const authorizing = authorizationMs(timeline);
      if (authorizing !== undefined) authorization.observe({ role }, authorizing / 1_000);
      const kind = error?.kind ?? 'other';
      if (status === 401 || status === 403) refusals.inc({ kind });
      if (status === 429) limited.inc({ limiter: kind });
      if (status === 503) unavailable.inc({ cause: kind });
    },
  };
}
