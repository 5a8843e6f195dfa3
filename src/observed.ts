import type { ErrorCode, ErrorKind } from './errors.ts';
import { TIMELINE_TRANSACTIONS } from './limits.ts';

/* What is noted of a request for figures and traces: never who asked, for which record, from where, by which path. */

export interface Stretch {
  readonly begunMs: number;
  readonly endedMs: number;
  readonly isFailed: boolean;
}

/** When a request did what; it exists only where somebody wants to know. */
export interface Timeline {
  readonly begunMs: number;
  checkMs?: number;
  /** The server's time for begin, settings and authenticate. */
  settingsMs: number;
  /** The first of them, with the wait for a connection. */
  readonly transactions: Stretch[];
  databaseMs: number;
}

export interface ObservedRequest {
  /** The template of its path; one word for all unknown ones. */
  readonly route: string;
  readonly method: string;
  readonly role: string;
  readonly status: number | 'aborted';
  readonly error: { readonly code: ErrorCode; readonly kind: ErrorKind | undefined } | undefined;
  readonly timeline: Timeline;
  readonly endedMs: number;
  readonly traceparent: string | undefined;
}

export interface RequestObserver {
  begun?(): void;
  ended(request: ObservedRequest): void;
}

export function beginTimeline(): Timeline {
  return { begunMs: performance.now(), settingsMs: 0, transactions: [], databaseMs: 0 };
}

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

/** Ms until the first statement could run; undefined where none did. */
export function authorizationMs({ checkMs, settingsMs }: Timeline): number | undefined {
  return checkMs === undefined || settingsMs === 0 ? undefined : checkMs + settingsMs;
}
