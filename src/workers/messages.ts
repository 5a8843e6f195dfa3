import type { Count } from '../counters/counters.ts';
import type { Figures } from '../metrics/of-all.ts';
import type { Ground } from '../parts.ts';

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly ground: Ground }
  | { readonly kind: 'end'; readonly withinMs: number }
  | { readonly kind: 'ping' }
  | { readonly kind: 'figures-asked'; readonly id: number }
  | { readonly kind: 'counted'; readonly id: number; readonly totalHits: number; readonly resetMs: number };

/** What a worker tells the primary process. */
export type ToPrimary =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'pong' }
  | { readonly kind: 'figures'; readonly id: number; readonly figures: Figures }
  | { readonly kind: 'count'; readonly id: number; readonly limit: string; readonly key: string };

/** Questions under way to another process, each by its number. */
export interface Asking<T> {
  /** Sends a question and waits for its answer, for as long as the caller likes to. */
  ask(send: (id: number) => void): Promise<T>;
  answered(id: number, answer: T): void;
}

/** The most that may wait: what nobody answers is forgotten in turn. */
const MOST_ASKED = 10_000;

export function createAsking<T>(): Asking<T> {
  const asked = new Map<number, (answer: T) => void>();
  let last = 0;
  return {
    ask: (send) =>
      new Promise((resolve) => {
        last += 1;
        asked.set(last, resolve);
        asked.delete(last - MOST_ASKED);
        send(last);
      }),
    answered(id, answer) {
      asked.get(id)?.(answer);
      asked.delete(id);
    },
  };
}

export function countOf({ totalHits, resetMs }: Extract<ToWorker, { kind: 'counted' }>): Count {
  return { totalHits, resetTime: new Date(resetMs) };
}
