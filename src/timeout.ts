/**
 * Throws `timeoutError()` after `limitMs` without cancelling the operation. If the result and the time-out arrive
 * together, the result wins.
 */
export async function withTimeout<T>(limitMs: number, promise: Promise<T>, timeoutError: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let isSettled = false;
  const timer = setTimeout(() => {
    setImmediate(() => {
      if (!isSettled) reject(timeoutError());
    });
  }, limitMs);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}
