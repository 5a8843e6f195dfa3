import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { MeasuredParts } from './metrics/sources.ts';
import { openTraces } from './tracing/traces.ts';

export async function openObservability(
  { metricsPort, traces: traced }: Pick<Config, 'metricsPort' | 'traces'>,
  log: Logger,
) {
  const metrics =
    metricsPort === undefined ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  const traces = traced && (await openTraces({ ...traced, log }));
  const lanes: Record<string, Database> = {};
  return {
    observers: [metrics, traces].filter((observer) => observer !== undefined),
    onRefused: metrics?.refusedConnection,
    onFetched: traces?.fetched,
    waited: metrics?.waited,
    lanes,
    registry: metrics?.registry,
    ask: (parts: Omit<MeasuredParts, 'lanes'>) => metrics?.from({ ...parts, lanes }),
    close: async (withinMs: number) => traces?.close(withinMs),
  };
}
