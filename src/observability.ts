import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { MetricSources } from './metrics/sources.ts';
import { openTraces } from './tracing/traces.ts';

export async function openObservability(
  { metricsPort, traces: tracesConfig }: Pick<Config, 'metricsPort' | 'traces'>,
  log: Logger,
) {
  const metrics = metricsPort === undefined ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  const traceExporter = tracesConfig && (await openTraces({ ...tracesConfig, log }));
  return {
    observers: [metrics, traceExporter].filter((observer) => observer !== undefined),
    onRefused: metrics?.connectionRefused,
    onFetched: traceExporter?.keysFetched,
    poolWaited: metrics?.poolWaited,
    registry: metrics?.registry,
    collectFromParts: (sources: MetricSources) => metrics?.collectFromParts(sources),
    close: async (withinMs: number) => traceExporter?.close(withinMs),
  };
}
