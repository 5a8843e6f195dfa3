/**
 * The result of the work, or the failure of `late` where it takes longer. The work itself goes on: `late` may end it. An
 * answer that arrived while this process was busy is in time.
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
