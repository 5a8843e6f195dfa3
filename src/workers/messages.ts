import type { Count } from '../counters/counters.ts';
import type { Figures } from '../metrics/of-all.ts';
import type { Ground } from '../parts.ts';

/**
 * Another number whenever anything here, or the ground, means something else than before: a worker that is started by a
 * reload has the code of today, and whoever has started it that of its own start.
 */
export const PROTOCOL = 2;

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly protocol: number; readonly ground: Ground }
  | { readonly kind: 'end'; readonly withinMs: number }
  | { readonly kind: 'ping' }
  | { readonly kind: 'figures-asked'; readonly id: number }
  | { readonly kind: 'counted'; readonly counted: Counted };

/** What a worker tells the primary process. */
export type ToPrimary =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'pong' }
  | { readonly kind: 'figures'; readonly id: number; readonly figures: Figures }
  | { readonly kind: 'count'; readonly request: ToCount };

/** A request that one limit is to count, under the number of the question. */
export interface ToCount {
  readonly id: number;
  readonly limit: string;
  readonly key: string;
}

/** What became of it: its count, in words that can be sent, or why there is none. */
export type Counted =
  | { readonly id: number; readonly totalHits: number; readonly resetMs: number }
  | { readonly id: number; readonly reason: string };

/** Questions under way to another process, each by its number. */
export interface Asking<T> {
  /** Sends a question and waits for its answer, for as long as the caller likes to. */
  ask(send: (id: number) => void): Promise<T>;
  answered(id: number, answer: T): void;
  failed(id: number, error: Error): void;
}

/** The most that may wait: what nobody answers is forgotten in turn. */
const MOST_ASKED = 10_000;

export function createAsking<T>(): Asking<T> {
  const asked = new Map<number, PromiseWithResolvers<T>>();
  let last = 0;
  function take(id: number): PromiseWithResolvers<T> | undefined {
    const question = asked.get(id);
    asked.delete(id);
    return question;
  }
  return {
    ask(send) {
      const question = Promise.withResolvers<T>();
      last += 1;
      asked.set(last, question);
      asked.delete(last - MOST_ASKED);
      send(last);
      return question.promise;
    },
    answered(id, answer) {
      take(id)?.resolve(answer);
    },
    failed(id, error) {
      take(id)?.reject(error);
    },
  };
}

/** @throws Error in one line, where they would not understand each other */
export function checkProtocol(spoken: number): void {
  if (spoken !== PROTOCOL)
    throw new Error('the process that has started it is of another release: restart the service as a whole');
}

/** Tells whoever asked what has become of it. */
export function tellCount(asking: Asking<Count>, counted: Counted): void {
  if ('reason' in counted) asking.failed(counted.id, new Error(counted.reason));
  else asking.answered(counted.id, { totalHits: counted.totalHits, resetTime: new Date(counted.resetMs) });
}
