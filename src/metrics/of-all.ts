import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import type { MetricsSource } from './server.ts';

/** The figures of one process, as plain values. */
export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** One for all processes: each figure added up, or as it says of itself. Whoever does not answer is left out. */
export function metricsOfAll(own: Registry, ofOthers: () => Promise<readonly Figures[]>): MetricsSource {
  return {
    contentType: own.contentType,
    async metrics() {
      const [mine, others] = await Promise.all([own.getMetricsAsJSON(), ofOthers()]);
      // Its types know the value of a registry, and not what it is made for: the values of several.
      return AggregatorRegistry.aggregate([mine, ...others] as object[]).metrics();
    },
  };
}
