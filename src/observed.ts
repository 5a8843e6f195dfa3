import type { ErrorCode, ErrorKind } from './errors.ts';
import { TIMELINE_TRANSACTIONS } from './limits.ts';

/*
 * What is noted of a request for those who count, time and trace. Nothing here says who asked, for which client or
 * record, from where, or by which path as it was sent: whoever reads figures may read none of that.
 */

/** A stretch of time, by the clock of `performance.now()`. */
export interface Stretch {
  readonly begunMs: number;
  readonly endedMs: number;
  readonly isFailed: boolean;
}

/** When a request did what; it exists only where somebody wants to know. */
export interface Timeline {
  readonly begunMs: number;
  /** From its token's check to the end of its role's; undefined where it did not come so far. */
  checkMs?: number;
  /** What the server needed until the transactions could run their first statement: begin, settings, authenticate. */
  settingsMs: number;
  /** With the wait for a connection; the first of them. */
  readonly transactions: Stretch[];
  /** All of them together. */
  databaseMs: number;
}

/** A request that is over. */
export interface ObservedRequest {
  /** The declared template of its path; one word for all that matches none. */
  readonly route: string;
  /** As the route declares it; one word for all others. */
  readonly method: string;
  /** The caller's; one word for whoever has no token that holds. */
  readonly role: string;
  /** `aborted` where the caller was gone before the answer was. */
  readonly status: number | 'aborted';
  readonly error: { readonly code: ErrorCode; readonly kind: ErrorKind | undefined } | undefined;
  readonly timeline: Timeline;
  readonly endedMs: number;
  /** The trace that the caller wants it to belong to, as the header says it. */
  readonly traceparent: string | undefined;
}

export interface RequestObserver {
  begun?(): void;
  ended(request: ObservedRequest): void;
}

export function beginTimeline(): Timeline {
  return { begunMs: performance.now(), settingsMs: 0, transactions: [], databaseMs: 0 };
}

/** Notes a transaction in the timeline, if there is one. */
export function noted<T>(timeline: Timeline | undefined, transaction: () => Promise<T>): Promise<T> {
  return timeline === undefined ? transaction() : notedIn(timeline, transaction);
}

async function notedIn<T>(timeline: Timeline, transaction: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  let isFailed = true;
  try {
    const value = await transaction();
    isFailed = false;
    return value;
  } finally {
    const endedMs = performance.now();
    timeline.databaseMs += endedMs - begunMs;
    if (timeline.transactions.length < TIMELINE_TRANSACTIONS)
      timeline.transactions.push({ begunMs, endedMs, isFailed });
  }
}

/** How long it took to find out what the caller may, until the first statement could run; undefined where none did. */
export function authorizationMs({ checkMs, settingsMs }: Timeline): number | undefined {
  return checkMs === undefined || settingsMs === 0 ? undefined : checkMs + settingsMs;
}
