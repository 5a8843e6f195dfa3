import type { Circuit } from './circuit.ts';
import { openMemory } from './memory.ts';
import type { Count } from './memory.ts';

export type { Count } from './memory.ts';

export type Counters = ReturnType<typeof countersIn>;

/** Each request is counted in the place where several count, and where it does not answer, in the memory of this process. */
export function countersIn(place?: Circuit) {
  const memory = openMemory();
  return {
    /** Counts for the limit of that name: the same one in every process that counts together. At once where nobody is asked. */
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
