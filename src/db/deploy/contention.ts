import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { sqlState } from '../errors.ts';

/** lock_not_available, deadlock_detected, serialization_failure: others were faster, and will be done soon. */
const CONTENTION = new Set(['55P03', '40P01', '40001']);
/** Two databases of one cluster that make the same role or grant at once. */
const CATALOG_RACE = new Set(['42710', '23505', 'XX000']);

/** How often such a race is run again: whoever loses it that often was refused for another reason. */
const RACES = 10;

/**
 * Tries again, with growing random pauses, what failed only because others held a lock; gives up with the last error
 * when that has gone on for the time given.
 */
export function retryingOnContention<T>(log: Logger, patienceMs: number, work: () => Promise<T>): Promise<T> {
  return pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    maxRetryTime: patienceMs,
    minTimeout: 50,
    maxTimeout: 2_000,
    randomize: true,
    shouldRetry: ({ error, attemptNumber }) =>
      isContention(error) || (isCatalogRace(error) && attemptNumber <= RACES),
    onFailedAttempt: ({ error, attemptNumber }) => {
      if (isContention(error)) log.debug({ attemptNumber, reason: error.message }, 'waiting for a lock');
    },
  });
}

/** Whether nothing is wrong but that others were in the way. */
export function isContention(error: unknown): boolean {
  return CONTENTION.has(stateOf(error) ?? '');
}

function isCatalogRace(error: Error): boolean {
  return CATALOG_RACE.has(stateOf(error) ?? '') && /pg_|concurrently|already exists/.test(error.message);
}

function stateOf(error: unknown): string | undefined {
  return sqlState(error) ?? (error instanceof Error ? sqlState(error.cause) : undefined);
}
