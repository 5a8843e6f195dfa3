import { setTimeout as delay } from 'node:timers/promises';
import { STEADY_MS } from './limits.ts';

export class Pauses {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;
  #workedSince: number | undefined;

  constructor([firstMs, longestMs]: readonly [number, number]) {
    [this.#firstMs, this.#longestMs, this.#nextMs] = [firstMs, longestMs, firstMs];
  }

  next(): number {
    if (this.#workedSince !== undefined && performance.now() - this.#workedSince > STEADY_MS) this.reset();
    this.#workedSince = undefined;
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, this.#longestMs);
    return ms;
  }

  /** Notes a success. After STEADY_MS of success the next failure begins with the first pause again. */
  works(): void {
    this.#workedSince = performance.now();
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}

interface Retries {
  readonly pausesMs: readonly [number, number];
  readonly isWorthIt: (error: unknown, attempt: number) => boolean;
  readonly until: number;
  readonly signal?: AbortSignal;
}

/** Repeats the work with growing random pauses. @throws the last error, or the signal's reason */
export async function retrying<T>(
  work: () => Promise<T>,
  { pausesMs, isWorthIt, until, signal }: Retries,
): Promise<T> {
  const pauses = new Pauses(pausesMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const left = until - performance.now();
      if (left <= 0 || !isWorthIt(error, attempt)) throw error;
      await delay(Math.min(pauses.next() * (1 + Math.random()), left), undefined, { signal });
    }
  }
}

/** Callers share one call of `ask`; its result is kept for `keptMs`, its failure for `failureKeptMs`. */
export function askedOnce<T>(ask: () => Promise<T>, keptMs = 0, failureKeptMs = keptMs): () => Promise<T> {
  let asked: Promise<T> | undefined;
  const forgetIn = (ms: number) => (): void => {
    if (ms === 0) asked = undefined;
    else setTimeout(() => (asked = undefined), ms).unref();
  };
  return () => {
    if (asked === undefined) {
      asked = ask();
      asked.then(forgetIn(keptMs), forgetIn(failureKeptMs));
    }
    return asked;
  };
}
