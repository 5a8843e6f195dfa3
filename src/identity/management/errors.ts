import { MANAGEMENT_WAIT_MS } from '../../limits.ts';

/** unknown: no such user; address: not a management interface; refused: the message is wrong; limited: too many requests. */
export type Trouble = 'unknown' | 'address' | 'refused' | 'credential' | 'limited' | 'away';

export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  readonly trouble: Trouble;
  readonly retryAfterMs: number | undefined;

  constructor(
    trouble: Trouble,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.trouble = trouble;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const [SHORTEST_MS, LONGEST_MS] = MANAGEMENT_WAIT_MS;

/** Milliseconds to wait by `Retry-After` or `x-ratelimit-reset`, between a second and an hour; undefined without either. */
export function waitSaid(answer: Headers): number | undefined {
  const date = Date.parse(answer.get('date') ?? '');
  const now = Number.isNaN(date) ? Date.now() : date;
  const waits = [retryAfter(answer.get('retry-after'), now), reset(answer.get('x-ratelimit-reset'), now)];
  const said = waits.filter((wait) => wait !== undefined);
  return said.length === 0 ? undefined : Math.min(Math.max(...said, SHORTEST_MS), LONGEST_MS);
}

function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

function reset(text: string | null, now: number): number | undefined {
  return text !== null && /^\d{1,11}(\.\d+)?$/.test(text) ? Number(text) * 1_000 - now : undefined;
}
