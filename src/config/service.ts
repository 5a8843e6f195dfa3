import { z } from 'zod';
import * as value from './values.ts';

export type ServiceConfig = ReturnType<typeof configFrom>;

export const variables = z.object({
  HOST: value.host.default('127.0.0.1'),
  PORT: value.integer(0, 65_535).default(3000),
  DATA_DIR: value.text.default('.data'),
  LOG_LEVEL: value.logLevel.default('info'),
  RATE_LIMIT_PER_USER: value.integer(1, 1_000_000).default(100),
  RATE_LIMIT_PER_IP: value.integer(1, 1_000_000).default(1_000),
  REDIS_URL: value.redisUrl.optional(),
  REDIS_PREFIX: value.redisPrefix.default('taxclaims'),
  TRUST_PROXY: value.integer(0, 100).default(0),
  CORS_ORIGINS: value.origins.default([]),
});

export function configFrom(values: z.output<typeof variables>) {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    /** Holds refusals that wait for the database, uploads under way, and the embedded parts. */
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    rateLimits: { perUser: values.RATE_LIMIT_PER_USER, perIp: values.RATE_LIMIT_PER_IP },
    /** Where several instances count together; undefined: each counts by itself. */
    redis: url === undefined ? undefined : { url, prefix },
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS,
  };
}
