import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { MetricSources } from './metrics/sources.ts';
import { openTraces } from './tracing/traces.ts';

export async function openObservability({ metricsPort, traces }: Pick<Config, 'metricsPort' | 'traces'>, log: Logger) {
  const metrics = metricsPort === undefined ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  const exporter = traces && (await openTraces({ ...traces, log }));
  return {
    observers: [metrics, exporter].filter((observer) => observer !== undefined),
    onRefused: metrics?.connectionRefused,
    onFetched: exporter?.keysFetched,
    poolWaited: metrics?.poolWaited,
    registry: metrics?.registry,
    collectFromParts: (sources: MetricSources) => metrics?.collectFromParts(sources),
    close: async (withinMs: number) => exporter?.close(withinMs),
  };
}
