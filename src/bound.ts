/** Limits how many pieces of work may wait or run at once. */
export function boundOf(most: number, full: () => Error) {
  const inside = new Set<symbol>();
  /** Takes a place and returns the function that gives it back. @throws the error of `full` where no place is left */
  const enter = (): (() => void) => {
    if (inside.size >= most) throw full();
    const place = Symbol();
    inside.add(place);
    return () => void inside.delete(place);
  };
  return {
    get taken() {
      return inside.size;
    },
    get isFull() {
      return inside.size >= most;
    },
    enter,
    async during<T>(work: () => Promise<T>): Promise<T> {
      const leave = enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
