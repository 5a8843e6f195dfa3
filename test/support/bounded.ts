/** Of a test, a hook and what a suite opens, where none of these says another time. */
export const LONGEST_MS = 180_000;

/** What some work gives, or an error of whoever asked for it where it takes longer. */
export async function bounded<T>(work: T | Promise<T>, ms = LONGEST_MS): Promise<T> {
  const error = new Error(`not over after ${ms} ms`);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(error);
  }, ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
