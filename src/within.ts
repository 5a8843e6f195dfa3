/**
 * What the work gives, or the failure that `late` makes where it takes longer. The work itself goes on: `late` is where
 * to end it, if it can be ended. An answer that arrived while this process was busy with something else is in time.
 */
export async function within<T>(limitMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  let isOver = false;
  const timer = setTimeout(() => {
    // Once everything that has arrived was read.
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
