import { z } from 'zod';
import * as value from './values.ts';

export type ObservabilityConfig = ReturnType<typeof configFrom>;

export const variables = z.object({
  METRICS_PORT: value.integer(0, 65_535).optional(),
  SERVER_TIMING: value.flag.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: value.httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: value.httpUrl.optional(),
  OTEL_SDK_DISABLED: value.flag.default(false),
  OTEL_TRACES_SAMPLER: value.sampler.default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: value.ratio.default(1),
});

export function configFrom(values: z.output<typeof variables>) {
  const collector = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const ratios = {
    parentbased_always_on: 1,
    parentbased_always_off: 0,
    parentbased_traceidratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
  return {
    metricsPort: values.METRICS_PORT,
    serverTiming: values.SERVER_TIMING,
    traces:
      collector === undefined || values.OTEL_SDK_DISABLED
        ? undefined
        : { ratio: ratios[values.OTEL_TRACES_SAMPLER] },
  };
}
