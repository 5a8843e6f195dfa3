import { MANAGEMENT_WAIT_MS } from '../../limits.ts';

const [SHORTEST_MS, LONGEST_MS] = MANAGEMENT_WAIT_MS;

/**
 * How long the provider wants to be left alone, by `Retry-After` or by its own `x-ratelimit-reset`, in seconds since
 * 1970 by its own clock; undefined where it says neither. Between a second and an hour.
 */
export function waitSaid(answer: Headers): number | undefined {
  const date = Date.parse(answer.get('date') ?? '');
  const now = Number.isNaN(date) ? Date.now() : date;
  const waits = [retryAfter(answer.get('retry-after'), now), reset(answer.get('x-ratelimit-reset'), now)];
  const said = waits.filter((wait) => wait !== undefined);
  return said.length === 0 ? undefined : Math.min(Math.max(...said, SHORTEST_MS), LONGEST_MS);
}

/** The same where this answer was the last that it gives for now. */
export function waitWhenSpent(answer: Headers): number | undefined {
  return answer.get('x-ratelimit-remaining') === '0' ? waitSaid(answer) : undefined;
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
