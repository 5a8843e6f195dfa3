import type { ErrorCode, ErrorKind } from './errors.ts';
import { MAX_TIMED_TRANSACTIONS } from './limits.ts';

/* Data of a request for metrics and traces, without the user, the record, the caller's address and the path. */

export interface MeasuredInterval {
  readonly begunMs: number;
  readonly endedMs: number;
  readonly isFailed: boolean;
}

/** The times of a request, measured if metrics, traces or Server-Timing are on. */
export interface RequestTimeline {
  readonly begunMs: number;
  checkMs?: number;
  /** The time that Postgres took to begin transactions, to set their settings and to check the caller. */
  settingsMs: number;
  readonly transactions: MeasuredInterval[];
  databaseMs: number;
}

export interface ObservedRequest {
  /** The endpoint's path, such as `/api/clients/{clientId}/assignees`; `none` for an unknown path. */
  readonly route: string;
  readonly method: string;
  readonly role: string;
  readonly status: number | 'aborted';
  readonly error: { readonly code: ErrorCode; readonly kind: ErrorKind | undefined } | undefined;
  readonly timeline: RequestTimeline;
  readonly endedMs: number;
  readonly traceparent: string | undefined;
}

export interface RequestObserver {
  requestStarted?(): void;
  requestEnded(request: ObservedRequest): void;
}

export function createRequestTimeline(): RequestTimeline {
  return { begunMs: performance.now(), settingsMs: 0, transactions: [], databaseMs: 0 };
}

export function measureTransaction<T>(
  timeline: RequestTimeline | undefined,
  transaction: () => Promise<T>,
): Promise<T> {
  return timeline === undefined ? transaction() : measureIntoTimeline(timeline, transaction);
}

async function measureIntoTimeline<T>(timeline: RequestTimeline, transaction: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  let isFailed = true;
  try {
    const result = await transaction();
    isFailed = false;
    return result;
  } finally {
    const endedMs = performance.now();
    timeline.databaseMs += endedMs - begunMs;
    if (timeline.transactions.length < MAX_TIMED_TRANSACTIONS)
      timeline.transactions.push({ begunMs, endedMs, isFailed });
  }
}

/** Milliseconds that the checks of the token and of the caller's rights took; undefined without a transaction. */
export function computeAuthorizationMs({ checkMs, settingsMs }: RequestTimeline): number | undefined {
  return checkMs === undefined || settingsMs === 0 ? undefined : checkMs + settingsMs;
}
