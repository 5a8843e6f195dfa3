import type { Logger } from 'pino';
import { sqlState } from '../errors.ts';
import { DEPLOY_RACES, DEPLOY_RETRY_MS } from '../../limits.ts';
import { retrying } from '../../retries.ts';

/** lock_not_available, deadlock_detected, serialization_failure: others were faster, and will be done soon. */
const CONTENTION = new Set(['55P03', '40P01', '40001']);
/** Two databases of one cluster that make the same role or grant at once. */
const CATALOG_RACE = new Set(['42710', '23505', 'XX000']);

/**
 * Tries again what failed only because others held a lock; gives up with the last error when that has gone on for the
 * time given.
 */
export function retryingOnContention<T>(log: Logger, patienceMs: number, work: () => Promise<T>): Promise<T> {
  return retrying(work, {
    ...{ pausesMs: DEPLOY_RETRY_MS, until: performance.now() + patienceMs },
    isWorthIt: (error, attempt) => {
      if (isContention(error)) log.debug({ attempt, err: error }, 'waiting for a lock');
      return isContention(error) || (isCatalogRace(error) && attempt <= DEPLOY_RACES);
    },
  });
}

/** Whether nothing is wrong but that others were in the way. */
export function isContention(error: unknown): boolean {
  return CONTENTION.has(stateOf(error) ?? '');
}

function isCatalogRace(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return CATALOG_RACE.has(stateOf(error) ?? '') && /pg_|concurrently|already exists/.test(message);
}

function stateOf(error: unknown): string | undefined {
  return sqlState(error) ?? (error instanceof Error ? sqlState(error.cause) : undefined);
}
