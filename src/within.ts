/** Throws the error of `late` after `limitMs`; the work goes on. A result that arrived in time always counts. */
export async function within<T>(limitMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isOver) reject(late());
    });
  }, limitMs);
  try {
    return await Promise.race([work, over]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
