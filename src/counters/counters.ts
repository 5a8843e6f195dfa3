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
      backendName: 'Redis',
      timeoutMs: REDIS_RESPONSE_TIMEOUT_MS,
      connect: redisConnector(redis),
      log,
    }),
  );
}

export function createCounters(sharedCounter?: CircuitBreaker) {
  const memoryStores: MemoryStore[] = [];
  return {
    /** Returns the store of one limit, for express-rate-limit. */
    createStore(limit: string): Store {
      const memoryStore = new MemoryStore();
      memoryStores.push(memoryStore);
      // MemoryStore returns the object that it counts in, so that a later request would change the count of this one.
      const countInMemory = (key: string): ClientRateLimitInfo => {
        void memoryStore.increment(key);
        return { totalHits: 1, resetTime: undefined, ...memoryStore.current.get(key) };
      };
      return {
        init: (options) => {
          memoryStore.init(options);
        },
        increment: async (key) => (await sharedCounter?.increment(limit, key)) ?? countInMemory(key),
        decrement: (key) => memoryStore.decrement(key),
        resetKey: (key) => memoryStore.resetKey(key),
      };
    },
    get isCountingAlone(): boolean {
      return sharedCounter?.isOpen ?? false;
    },
    close(): Promise<void> {
      sharedCounter?.close();
      for (const store of memoryStores) store.shutdown();
      return Promise.resolve();
    },
  };
}
