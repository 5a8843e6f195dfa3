import { z } from 'zod';
import * as value from './values.ts';

export interface ServiceConfig {
  readonly host: string;
  readonly port: number;
  /** Refusals that wait for the database, uploads under way, and what the embedded parts keep. */
  readonly dataDir: string;
  readonly logLevel: string;
  readonly rateLimits: { readonly perUser: number; readonly perIp: number };
  /** Where several instances count together, and the prefix of what they keep there; undefined: each by itself. */
  readonly redis: { readonly url: string; readonly prefix: string } | undefined;
  /** How many proxies in front of the service to believe. */
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
}

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

export function configFrom(values: z.output<typeof variables>): ServiceConfig {
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    rateLimits: { perUser: values.RATE_LIMIT_PER_USER, perIp: values.RATE_LIMIT_PER_IP },
    redis:
      values.REDIS_URL === undefined ? undefined : { url: values.REDIS_URL, prefix: values.REDIS_PREFIX },
    trustProxy: values.TRUST_PROXY,
    corsOrigins: values.CORS_ORIGINS,
  };
}
