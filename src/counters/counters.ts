import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { REDIS_RESPONSE_TIMEOUT_MS, RATE_LIMIT_WINDOW_MS } from '../limits.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit.ts';

export interface HitCount {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

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
  const memoryCounter = createMemoryCounter();
  return {
    /** Returns a count, not a promise, while this process counts the requests in its own memory. */
    count(limit: string, key: string): HitCount | Promise<HitCount> {
      const countHitInMemory = (): HitCount => memoryCounter.increment(`${limit} ${key}`);
      if (sharedCounter === undefined || sharedCounter.isOpen) return countHitInMemory();
      return sharedCounter.increment(limit, key).then((count) => count ?? countHitInMemory());
    },
    get isCountingAlone(): boolean {
      return sharedCounter?.isOpen ?? false;
    },
    close(): Promise<void> {
      sharedCounter?.close();
      memoryCounter.close();
      return Promise.resolve();
    },
  };
}

/** The time window of a rate-limit key begins with the key's first request. */
function createMemoryCounter() {
  let currentWindow = new Map<string, { readonly totalHits: number; readonly resetTime: Date }>();
  let previousWindow: typeof currentWindow = new Map();
  // Deletes each rate-limit key that had no request for a whole time window.
  const cleanupTimer = setInterval(() => {
    previousWindow = currentWindow;
    currentWindow = new Map();
  }, RATE_LIMIT_WINDOW_MS).unref();
  return {
    increment(key: string): HitCount {
      const now = Date.now();
      const storedHitCount = currentWindow.get(key) ?? previousWindow.get(key);
      const isCounterExpired = storedHitCount === undefined || storedHitCount.resetTime.getTime() <= now;
      const newHitCount = isCounterExpired
        ? { totalHits: 1, resetTime: new Date(now + RATE_LIMIT_WINDOW_MS) }
        : { totalHits: storedHitCount.totalHits + 1, resetTime: storedHitCount.resetTime };
      currentWindow.set(key, newHitCount);
      return newHitCount;
    },
    close(): void {
      clearInterval(cleanupTimer);
    },
  };
}
