import { MemoryStore } from 'express-rate-limit';
import type { ClientRateLimitInfo, Options } from 'express-rate-limit';
import { WINDOW_MS } from '../limits.ts';

export type Count = ClientRateLimitInfo;

export type Memory = ReturnType<typeof openMemory>;

/**
 * Counts one after the other: the store gives everybody the one object in which it counts, and each must have read it
 * before the next is counted, or of many at once all would be the last.
 */
export function openMemory(store = new MemoryStore()) {
  store.init({ windowMs: WINDOW_MS } as Options);
  let before: Promise<unknown> = Promise.resolve();
  return {
    increment(key: string): Promise<Count> {
      const counted = before.then(async (): Promise<Count> => ({ ...(await store.increment(key)) }));
      // One that could not be counted is its own caller's failure, and nobody else's.
      before = counted.catch(() => undefined);
      return counted;
    },
    decrement: (key: string) => store.decrement(key),
    resetKey: (key: string) => store.resetKey(key),
    shutdown: () => {
      store.shutdown();
    },
  };
}
