/** Limits how many operations may wait or run at once. */
export function createSemaphore(limit: number, fullError: () => Error) {
  const slotHolders = new Set<symbol>();
  /** Takes a slot and returns the function that releases the slot. @throws `fullError()` where no slot is free */
  const acquireSlot = (): (() => void) => {
    if (slotHolders.size >= limit) throw fullError();
    const slotHolder = Symbol();
    slotHolders.add(slotHolder);
    return () => void slotHolders.delete(slotHolder);
  };
  return {
    get inUse() {
      return slotHolders.size;
    },
    get isFull() {
      return slotHolders.size >= limit;
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
