import { MemoryStore, type ClientRateLimitInfo, type Store } from 'express-rate-limit';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { REDIS_RESPONSE_TIMEOUT_MS } from '../limits.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit.ts';

export type RequestCounters = ReturnType<typeof createCounters>;

/** Counts requests in Redis if Redis is configured and answers, and otherwise in this process. */
export async function openCounters({ redis }: Pick<Config, 'redis'>, log: Logger): Promise<RequestCounters> {
  if (redis === undefined) return createCounters();
  const { redisConnector } = await import('./redis.ts');
  return createCounters(
    await createCircuitBreaker({
      name: 'Redis',
      timeoutMs: REDIS_RESPONSE_TIMEOUT_MS,
      connect: redisConnector(redis),
      log,
    }),
  );
}

export function createCounters(shared?: CircuitBreaker) {
  const stores: MemoryStore[] = [];
  return {
    createStore(limit: string): Store {
      const memory = new MemoryStore();
      stores.push(memory);
      // MemoryStore returns the object that it counts in, so that a later request would change the count of this one.
      const count = (key: string): ClientRateLimitInfo => {
        void memory.increment(key);
        return { totalHits: 1, resetTime: undefined, ...memory.current.get(key) };
      };
      return {
        init: (options) => {
          memory.init(options);
        },
        increment: async (key) => (await shared?.increment(limit, key)) ?? count(key),
        decrement: (key) => memory.decrement(key),
        resetKey: (key) => memory.resetKey(key),
      };
    },
    get isCountingAlone(): boolean {
      return shared?.isOpen ?? false;
    },
    close(): Promise<void> {
      shared?.close();
      for (const store of stores) store.shutdown();
      return Promise.resolve();
    },
  };
}
