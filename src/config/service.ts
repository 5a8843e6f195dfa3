import { z } from 'zod';
import * as value from './values.ts';

export const variablesSchema = z.object({
  HOST: value.host.default('127.0.0.1'),
  PORT: value.integer(0, 65_535).default(3000),
  DATA_DIR: value.text.default('.data'),
  LOG_LEVEL: value.logLevel.default('info'),
  RATE_LIMIT_PER_USER: value.integer(1, 1_000_000).default(100),
  RATE_LIMIT_PER_IP: value.integer(1, 1_000_000).default(1_000),
  REDIS_URL: value.redisUrl.optional(),
  REDIS_PREFIX: value.redisPrefix.default('taxclaims'),
  TRUST_PROXY: value.integer(0, 100).default(0),
  PUBLIC_PATH: value.publicPath.default(''),
  CORS_ORIGINS: value.origins.default([]),
  AUDIT_RETENTION_MONTHS: value.retentionMonths,
  METRICS_PORT: value.integer(0, 65_535).optional(),
  SERVER_TIMING: value.flag.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: value.httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: value.httpUrl.optional(),
  OTEL_SDK_DISABLED: value.flag.default(false),
  OTEL_TRACES_SAMPLER: value.sampler.default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: value.ratio.default(1),
});

export function buildConfig(values: z.output<typeof variablesSchema>) {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = values;
  const collector = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const ratios = {
    parentbased_always_on: 1,
    parentbased_always_off: 0,
    parentbased_traceidratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    rateLimits: { perUser: values.RATE_LIMIT_PER_USER, perIp: values.RATE_LIMIT_PER_IP },
    /** The Redis server that counts requests; undefined if this process counts requests in its own memory. */
    redis: url === undefined ? undefined : { url, prefix },
    trustProxy: values.TRUST_PROXY,
    publicPath: values.PUBLIC_PATH,
    corsOrigins: values.CORS_ORIGINS,
    auditRetentionMonths: values.AUDIT_RETENTION_MONTHS,
    metricsPort: values.METRICS_PORT,
    serverTiming: values.SERVER_TIMING,
    traces:
      collector === undefined || values.OTEL_SDK_DISABLED ? undefined : { ratio: ratios[values.OTEL_TRACES_SAMPLER] },
  };
}
