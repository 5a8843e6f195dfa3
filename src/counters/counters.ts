import type { Store } from 'express-rate-limit';
import type { Circuit } from './circuit.ts';
import { type Memory, openMemory } from './memory.ts';

export type { Count } from './memory.ts';

export type Counters = ReturnType<typeof countersIn>;

/** Each request is counted in the first place that answers, and where none does, in the memory of this process. */
export function countersIn(places: readonly Circuit[]) {
  const stores: Memory[] = [];
  return {
    /** The store of one limit, by its name: the same one in every process that counts together. */
    storeOf(limit: string): Store {
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
    /** Whether this process counts by itself what is to be counted together. */
    get isAlone(): boolean {
      return places.length > 0 && places.every(({ isOpen }) => isOpen);
    },
    close(): Promise<void> {
      for (const place of places) place.close();
      for (const store of stores) store.shutdown();
      return Promise.resolve();
    },
  };
}
