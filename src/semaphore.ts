/** Limits how many operations may wait or run at once. */
export function createSemaphore(limit: number, fullError: () => Error) {
  const holders = new Set<symbol>();
  /** Takes a slot and returns the function that releases the slot. @throws `fullError()` where no slot is free */
  const acquireSlot = (): (() => void) => {
    if (holders.size >= limit) throw fullError();
    const slotHolder = Symbol();
    holders.add(slotHolder);
    return () => void holders.delete(slotHolder);
  };
  return {
    get inUse() {
      return holders.size;
    },
    get isFull() {
      return holders.size >= limit;
    },
    enter: acquireSlot,
    async run<T>(callback: () => Promise<T>): Promise<T> {
      const releaseSlot = acquireSlot();
      try {
        return await callback();
      } finally {
        releaseSlot();
      }
    },
  };
}
