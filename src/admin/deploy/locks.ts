import type pg from 'pg';
import type { Logger } from 'pino';
import { sqlState } from '../../db/errors.ts';
import { DEPLOY_RACE_RETRIES, DEPLOY_LOCK_RETRY_PAUSES_MS } from '../../limits.ts';
import { retryWithBackoff } from '../../retries.ts';
import { DeployHeldUp } from './migration-error.ts';

/** SQLSTATEs after which a deploy tries again: lock_not_available, deadlock_detected and serialization_failure. */
const CONTENTION_SQLSTATES = new Set(['55P03', '40P01', '40001']);
/** SQLSTATEs that Postgres raises while deploys of two databases in one cluster create the same role or grant. */
const CATALOG_RACE_SQLSTATES = new Set(['42710', '23505', 'XX000']);

export function retryOnContention<T>(log: Logger, maxWaitMs: number, operation: () => Promise<T>): Promise<T> {
  return retryWithBackoff(operation, {
    ...{ pausesMs: DEPLOY_LOCK_RETRY_PAUSES_MS, deadline: performance.now() + maxWaitMs },
    shouldRetry: (error, attempt) => {
      if (isContention(error)) log.debug({ attempt, err: error }, 'waiting for a lock');
      return isContention(error) || (isCatalogRace(error) && attempt <= DEPLOY_RACE_RETRIES);
    },
  });
}

export function isContention(error: unknown): boolean {
  return CONTENTION_SQLSTATES.has(findSqlState(error) ?? '');
}

function isCatalogRace(error: unknown): boolean {
  return (
    CATALOG_RACE_SQLSTATES.has(findSqlState(error) ?? '') &&
    /pg_|concurrently|already exists/.test(error instanceof Error ? error.message : '')
  );
}

/** Returns the SQLSTATE of an error or of its cause. */
function findSqlState(error: unknown): string | undefined {
  return sqlState(error) ?? (error instanceof Error ? sqlState(error.cause) : undefined);
}

/**
 * Locks out other deploys, in a transaction that stays open for the whole deploy.
 * @throws DeployHeldUp where another deploy has the lock
 */
export async function takeMigrationLock(
  lockHolder: pg.Client,
  maxWaitMs: number,
  describeHolder: () => string,
): Promise<void> {
  await lockHolder.query('begin');
  await lockHolder.query(`set local role taxclaims_owner; set local lock_timeout = ${Math.max(maxWaitMs, 1)}`);
  try {
    await lockHolder.query('lock table app.deploy_lock in share update exclusive mode');
  } catch (error) {
    if (!isContention(error)) throw error;
    throw new DeployHeldUp(`another deploy or archive is running on this database: ${describeHolder()}`, {
      cause: error,
    });
  }
  // Switches back to the administrator's own role, with which `lockHolder` can see the sessions that block the deploy.
  await lockHolder.query('set local role none');
}

/**
 * Returns the lock time-out of a deploy in ms: half of deadlock_timeout, so that in a deadlock the deploy gives up
 * before Postgres cancels a request.
 */
export async function readLockTimeoutMs(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    `select floor(extract(epoch from current_setting('deadlock_timeout')::interval) * 500)::integer as ms`,
  );
  return Math.max(rows[0]?.ms ?? 0, 1);
}

/** True if the table exists and the administrator may act as its owner; false before the first deploy. */
export async function isTableOwnedByServiceOwner(
  client: pg.Client,
  table: 'deploy_lock' | 'migrations',
): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname = 'app' and c.relname = $1 and c.relowner = to_regrole('taxclaims_owner')
         and pg_has_role(c.relowner, 'MEMBER')`,
    [table],
  );
  return rows.length > 0;
}
