import { MemoryStore } from 'express-rate-limit';
import type { ClientRateLimitInfo, Options } from 'express-rate-limit';
import { WINDOW_MS } from '../limits.ts';

/** How many requests somebody has made in this minute, and when the next one begins. */
export type Count = ClientRateLimitInfo;

/** The counts of one limit in the memory of this process. */
export interface Memory extends Pick<MemoryStore, 'decrement' | 'resetKey' | 'shutdown'> {
  increment(key: string): Promise<Count>;
}

/**
 * Counts one after the other: the store gives everybody the one object in which it counts, and each must have read it
 * before the next is counted, or of many at once all would be the last.
 */
export function openMemory(store = new MemoryStore()): Memory {
  store.init({ windowMs: WINDOW_MS } as Options);
  let before: Promise<unknown> = Promise.resolve();
  return {
    increment(key) {
      const counted = before.then(async (): Promise<Count> => ({ ...(await store.increment(key)) }));
      // One that could not be counted is its own caller's failure, and nobody else's.
      before = counted.catch(() => undefined);
      return counted;
    },
    decrement: (key) => store.decrement(key),
    resetKey: (key) => store.resetKey(key),
    shutdown: () => {
      store.shutdown();
    },
  };
}
