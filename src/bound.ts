/** A place where only so many may wait or work at once. */
interface Bound {
  readonly taken: number;
  readonly isFull: boolean;
  /** Takes a place; the function that it returns gives the place back. @throws the error of `full`, at once, where none is left */
  enter(): () => void;
  during<T>(work: () => Promise<T>): Promise<T>;
}

export function boundOf(most: number, full: () => Error): Bound {
  const inside = new Set<symbol>();
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
    async during(work) {
      const leave = enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
