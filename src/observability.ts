import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { MetricSources } from './metrics/sources.ts';
import { openTraces } from './tracing/traces.ts';

export async function openObservability(
  { metricsPort, traces: tracesConfig }: Pick<Config, 'metricsPort' | 'traces'>,
  log: Logger,
) {
  const metrics = metricsPort === undefined ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  const traceExporter = tracesConfig && (await openTraces({ ...tracesConfig, log }));
  const poolsByLane: Record<string, Database> = {};
  return {
    observers: [metrics, traceExporter].filter((observer) => observer !== undefined),
    onRefused: metrics?.connectionRefused,
    onFetched: traceExporter?.keysFetched,
    poolWaited: metrics?.poolWaited,
    lanes: poolsByLane,
    registry: metrics?.registry,
    collectFromParts: (parts: Omit<MetricSources, 'pools'>) =>
      metrics?.collectFromParts({ ...parts, pools: poolsByLane }),
    close: async (withinMs: number) => traceExporter?.close(withinMs),
  };
}
