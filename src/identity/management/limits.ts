import { MANAGEMENT_WAIT_MS } from '../../limits.ts';

const [SHORTEST_MS, LONGEST_MS] = MANAGEMENT_WAIT_MS;

/** Milliseconds to wait by `Retry-After` or `x-ratelimit-reset`, between a second and an hour; undefined without either. */
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
