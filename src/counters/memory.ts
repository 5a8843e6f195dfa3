import { WINDOW_MS } from '../limits.ts';

/** How often a key was counted in its window, and when that ends. */
export interface Count {
  readonly totalHits: number;
  readonly resetTime: Date | undefined;
}

export type Memory = ReturnType<typeof openMemory>;

/** Counts at once; a key's window begins with its first request. */
export function openMemory() {
  let current = new Map<string, { readonly totalHits: number; readonly resetTime: Date }>();
  let before: typeof current = new Map();
  // Whoever was not counted for a whole window has none any more.
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
