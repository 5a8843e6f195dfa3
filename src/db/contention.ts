import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { sqlState } from './errors.ts';

/** lock_not_available, deadlock_detected, serialization_failure: others were faster, and will be done soon. */
const CONTENTION = new Set(['55P03', '40P01', '40001']);
/** Two databases of one cluster that make the same role or grant at once. */
const CATALOG_RACE = new Set(['42710', '23505', 'XX000']);

/** Tries again, with growing random pauses, what failed only because others held a lock. */
export function retryingOnContention<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  return pRetry(work, {
    retries: 30,
    minTimeout: 50,
    maxTimeout: 2_000,
    randomize: true,
    shouldRetry: ({ error }) => isContention(error),
    onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
      if (isContention(error) && retriesLeft > 0)
        log.warn({ attemptNumber, reason: error.message }, 'waiting for a lock');
    },
  });
}

function isContention(error: Error): boolean {
  const state = sqlState(error) ?? sqlState(error.cause);
  if (state === undefined) return false;
  return (
    CONTENTION.has(state) ||
    (CATALOG_RACE.has(state) && /pg_|concurrently|already exists/.test(error.message))
  );
}
