import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { REDIS_MS, WINDOW_MS } from '../limits.ts';
import { type Circuit, openCircuit } from './circuit.ts';

export interface Count {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

export type Counters = ReturnType<typeof countersIn>;

/** Counts in Redis where it is configured and answers, and otherwise in this process. */
export async function openCounters({ redis }: Pick<Config, 'redis'>, log: Logger): Promise<Counters> {
  if (redis === undefined) return countersIn();
  const { inRedis } = await import('./redis.ts');
  return countersIn(await openCircuit({ place: 'Redis', timeoutMs: REDIS_MS, connect: inRedis(redis), log }));
}

export function countersIn(place?: Circuit) {
  const memory = openMemory();
  return {
    /** Synchronous while requests are counted in this process. */
    count(limit: string, key: string): Count | Promise<Count> {
      const own = (): Count => memory.increment(`${limit} ${key}`);
      if (place === undefined || place.isOpen) return own();
      return place.increment(limit, key).then((count) => count ?? own());
    },
    get isAlone(): boolean {
      return place?.isOpen ?? false;
    },
    close(): Promise<void> {
      place?.close();
      memory.close();
      return Promise.resolve();
    },
  };
}

/** A key's window begins with its first request. */
function openMemory() {
  let current = new Map<string, { readonly totalHits: number; readonly resetTime: Date }>();
  let before: typeof current = new Map();
  // A key without a request for a whole window is forgotten.
  const sweeping = setInterval(() => {
    before = current;
    current = new Map();
  }, WINDOW_MS).unref();
  return {
    increment(key: string): Count {
      const now = Date.now();
      const known = current.get(key) ?? before.get(key);
      const isOver = known === undefined || known.resetTime.getTime() <= now;
      const count = isOver
        ? { totalHits: 1, resetTime: new Date(now + WINDOW_MS) }
        : { totalHits: known.totalHits + 1, resetTime: known.resetTime };
      current.set(key, count);
      return count;
    },
    close(): void {
      clearInterval(sweeping);
    },
  };
}
