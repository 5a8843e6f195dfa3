import type pg from 'pg';
import { MigrationError } from './apply.ts';
import { sqlState } from './errors.ts';

const LOCK_KEY = 7_202_611;

/**
 * Runs one migration of a database at a time; a second waits for the first.
 * Any login can take an advisory lock, so the waiting has an end.
 * @throws MigrationError that names who holds the lock.
 */
export async function holdingMigrationLock(
  client: pg.Client,
  longestWaitMs: number,
  work: () => Promise<void>,
): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, false)`, [longestWaitMs]);
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
    throw new MigrationError(`another session holds the migration lock: ${await holders(client)}`, {
      cause: error,
    });
  }
  await client.query('reset lock_timeout');
  try {
    await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]).catch(() => undefined);
  }
}

async function holders(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('pid %s, login %s, application %L', a.pid, a.usename, a.application_name) as holder
     from pg_locks as l
     join pg_stat_activity as a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objid = $1::bigint::oid
       and l.database = (select oid from pg_database where datname = current_database())`,
    [LOCK_KEY],
  );
  return rows.map((row) => row.holder).join('; ') || 'it has just been released, try again';
}
