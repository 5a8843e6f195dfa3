import type { Store } from 'express-rate-limit';
import type { Circuit } from './circuit.ts';
import { type Memory, openMemory } from './memory.ts';

export type { Count } from './memory.ts';

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
  const stores: Memory[] = [];
  return {
    storeOf(limit) {
      const own = openMemory();
      stores.push(own);
      return {
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
