/** Limits how many pieces of work may wait or run at once. */
export function createSemaphore(limit: number, fullError: () => Error) {
  const holders = new Set<symbol>();
  /** Takes a place and returns the function that gives it back. @throws the error of `full` where no place is left */
  const acquire = (): (() => void) => {
    if (holders.size >= limit) throw fullError();
    const holder = Symbol();
    holders.add(holder);
    return () => void holders.delete(holder);
  };
  return {
    get inUse() {
      return holders.size;
    },
    get isFull() {
      return holders.size >= limit;
    },
    enter: acquire,
    async run<T>(callback: () => Promise<T>): Promise<T> {
      const release = acquire();
      try {
        return await callback();
      } finally {
        release();
      }
    },
  };
}
