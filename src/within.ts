/**
 * What the work gives, or the failure that `late` makes where it takes longer. The work itself goes on: `late` is where
 * to end it, if it can be ended.
 */
export async function within<T>(limitMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(late());
  }, limitMs);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
