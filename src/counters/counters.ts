import type { Store } from 'express-rate-limit';
import type { Circuit } from './circuit.ts';
import { type Memory, openMemory } from './memory.ts';

export { type Count, WINDOW_MS } from './memory.ts';

/** Where the requests of each limit are counted. */
export interface Counters {
  /** The store of one limit, by its name: the same one in every process that counts together. */
  storeOf(limit: string): Store;
  /** Whether this process counts by itself what is to be counted together. */
  readonly isAlone: boolean;
  close(): Promise<void>;
}

/** Each request is counted in the place where several count, and where it does not answer, in the memory of this process. */
export function countersIn(place?: Circuit): Counters {
  const stores: Memory[] = [];
  return {
    storeOf(limit) {
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
    get isAlone() {
      return place?.isOpen ?? false;
    },
    close() {
      place?.close();
      for (const store of stores) store.shutdown();
      return Promise.resolve();
    },
  };
}
