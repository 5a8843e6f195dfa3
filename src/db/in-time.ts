/** Throws `late` where the work takes longer, which does not end it; what becomes of it then is dropped. */
export async function inTime<T>(work: Promise<T>, ms: number, late: Error): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(late);
  }, ms);
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
