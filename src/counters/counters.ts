import { MemoryStore } from 'express-rate-limit';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import type { Circuit } from './circuit.ts';

/** All limits are for a minute, which begins with the first request that counts. */
export const WINDOW_MS = 60_000;

/** How many requests somebody has made in this minute, and when the next one begins. */
export type Count = ClientRateLimitInfo;

/** Where the requests of each limit are counted. */
export interface Counters {
  /** The store of one limit, by its name: the same one in every process that counts together. */
  storeOf(limit: string): Store;
  /** Whether this process counts by itself what is to be counted together. */
  readonly isAlone: boolean;
  close(): Promise<void>;
}

/** Each request is counted in the first place that answers, and where none does, in the memory of this process. */
export function countersIn(places: readonly Circuit[]): Counters {
  const stores: MemoryStore[] = [];
  return {
    storeOf(limit) {
      const own = new MemoryStore();
      stores.push(own);
      return {
        init: (options) => {
          own.init(options);
        },
        async increment(key) {
          for (const place of places) {
            const count = await place.increment(limit, key);
            if (count !== undefined) return count;
          }
          return own.increment(key);
        },
        decrement: (key) => own.decrement(key),
        resetKey: (key) => own.resetKey(key),
      };
    },
    get isAlone() {
      return places.length > 0 && places.every(({ isOpen }) => isOpen);
    },
    close() {
      for (const place of places) place.close();
      for (const store of stores) store.shutdown();
      return Promise.resolve();
    },
  };
}
