import { setTimeout as delay } from 'node:timers/promises';
import { BACKOFF_RESET_MS } from './limits.ts';

export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;
  #succeededAt: number | undefined;

  constructor([firstMs, longestMs]: readonly [number, number]) {
    [this.#firstMs, this.#longestMs, this.#nextMs] = [firstMs, longestMs, firstMs];
  }

  nextPauseMs(): number {
    if (this.#succeededAt !== undefined && performance.now() - this.#succeededAt > BACKOFF_RESET_MS) this.reset();
    this.#succeededAt = undefined;
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, this.#longestMs);
    return ms;
  }

  /** Records a success. A failure more than BACKOFF_RESET_MS after the last success gets the shortest pause. */
  recordSuccess(): void {
    this.#succeededAt = performance.now();
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}

interface RetryOptions {
  readonly pausesMs: readonly [number, number];
  readonly shouldRetry: (error: unknown, attempt: number) => boolean;
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

/** Repeats a failed operation after growing random pauses. @throws the last error, or the signal's reason */
export async function retryWithBackoff<T>(
  operation: () => Promise<T>,
  { pausesMs, shouldRetry, deadline, signal }: RetryOptions,
): Promise<T> {
  const backoff = new Backoff(pausesMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0 || !shouldRetry(error, attempt)) throw error;
      await delay(Math.min(backoff.nextPauseMs() * (1 + Math.random()), remainingMs), undefined, { signal });
    }
  }
}

/**
 * Returns a function that caches the result of `call` for `ttlMs` and its error for `failureTtlMs`. Concurrent callers
 * share one run of `call`.
 */
export function createCachedFunction<T>(call: () => Promise<T>, ttlMs = 0, failureTtlMs = ttlMs): () => Promise<T> {
  let cached: Promise<T> | undefined;
  const forgetAfter = (ms: number) => (): void => {
    if (ms === 0) cached = undefined;
    else setTimeout(() => (cached = undefined), ms).unref();
  };
  return () => {
    if (cached === undefined) {
      cached = call();
      cached.then(forgetAfter(ttlMs), forgetAfter(failureTtlMs));
    }
    return cached;
  };
}
