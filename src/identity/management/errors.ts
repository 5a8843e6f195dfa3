import { MANAGEMENT_RETRY_AFTER_RANGE_MS } from '../../limits.ts';

/**
 * `unknown` (no such user), `address` (the URL is not a management API), `refused` (the provider rejects the request),
 * `credential` (the provider rejects our credential), `limited` (too many requests), `away` (no usable answer).
 */
export type FailureKind = 'unknown' | 'address' | 'refused' | 'credential' | 'limited' | 'away';

export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly kind: FailureKind;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const [SHORTEST_MS, LONGEST_MS] = MANAGEMENT_RETRY_AFTER_RANGE_MS;

/** Returns the wait of `Retry-After` or `x-ratelimit-reset` in ms, between a second and an hour, or undefined. */
export function readRetryAfterMs(answer: Headers): number | undefined {
  const dateMs = Date.parse(answer.get('date') ?? '');
  const now = Number.isNaN(dateMs) ? Date.now() : dateMs;
  const waits = [
    parseRetryAfter(answer.get('retry-after'), now),
    parseRateLimitReset(answer.get('x-ratelimit-reset'), now),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits, SHORTEST_MS), LONGEST_MS);
}

function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : dateMs - now;
}

function parseRateLimitReset(text: string | null, now: number): number | undefined {
  return text !== null && /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1_000 - now : undefined;
}
