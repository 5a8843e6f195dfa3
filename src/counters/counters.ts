import type { Store } from 'express-rate-limit';
import type { Circuit } from './circuit.ts';
import { type Memory, openMemory } from './memory.ts';

export type { Count } from './memory.ts';

export type Counters = ReturnType<typeof countersIn>;

/** Each request is counted in the place where several count, and where it does not answer, in the memory of this process. */
export function countersIn(place?: Circuit) {
  const stores: Memory[] = [];
  return {
    /** The store of one limit, by its name: the same one in every process that counts together. */
    storeOf(limit: string): Store {
      const own = openMemory();
      stores.push(own);
      return {
        async increment(key) {
          return (await place?.increment(limit, key)) ?? own.increment(key);
        },
        decrement: (key) => own.decrement(key),
        resetKey: (key) => own.resetKey(key),
      };
    },
    get isAlone(): boolean {
      return place?.isOpen ?? false;
    },
    close(): Promise<void> {
      place?.close();
      for (const store of stores) store.shutdown();
      return Promise.resolve();
    },
  };
}
