/**
 * Waits `limitMs` at most, then throws the error of `late`; the work itself goes on, unless `late` ends it. A result
 * that arrived while this process was busy is in time.
 */
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
