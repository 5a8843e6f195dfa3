import type pg from 'pg';
import type { Logger } from 'pino';
import { sqlState } from '../errors.ts';
import { DEPLOY_RACES, DEPLOY_RETRY_MS } from '../../limits.ts';
import { retrying } from '../../retries.ts';
import { DeployHeldUp } from './migration-error.ts';

/** lock_not_available, deadlock_detected, serialization_failure. */
const CONTENTION = new Set(['55P03', '40P01', '40001']);
/** Errors of two deploys that make the same role or grant at once, for two databases of one cluster. */
const CATALOG_RACE = new Set(['42710', '23505', 'XX000']);

export function retryingOnContention<T>(log: Logger, maxWaitMs: number, work: () => Promise<T>): Promise<T> {
  return retrying(work, {
    ...{ pausesMs: DEPLOY_RETRY_MS, until: performance.now() + maxWaitMs },
    isWorthIt: (error, attempt) => {
      if (isContention(error)) log.debug({ attempt, err: error }, 'waiting for a lock');
      return isContention(error) || (isCatalogRace(error) && attempt <= DEPLOY_RACES);
    },
  });
}

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

/** The keeper's transaction lasts for the whole deploy. @throws DeployHeldUp where another deploy has the lock */
export async function takeMigrationLock(
  keeper: pg.Client,
  maxWaitMs: number,
  holder: () => string,
): Promise<void> {
  await keeper.query('begin');
  await keeper.query(`set local role taxclaims_owner; set local lock_timeout = ${Math.max(maxWaitMs, 1)}`);
  try {
    await keeper.query('lock table app.deploy_lock in share update exclusive mode');
  } catch (error) {
    if (!isContention(error)) throw error;
    throw new DeployHeldUp(`another run is at work on this database: ${holder()}`, { cause: error });
  }
  // The keeper needs the administrator's rights to watch.
  await keeper.query('set local role none');
}

/** True where the table exists and the administrator may act as its owner; false before the first deploy. */
export async function ownerHas(client: pg.Client, table: 'deploy_lock' | 'migrations'): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname = 'app' and c.relname = $1 and c.relowner = to_regrole('taxclaims_owner')
         and pg_has_role(c.relowner, 'MEMBER')`,
    [table],
  );
  return rows.length > 0;
}
