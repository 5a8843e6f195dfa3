import type pg from 'pg';
import { isContention } from './contention.ts';
import { DeployHeldUp } from './migration-error.ts';

/**
 * Takes the lock of the database's deploys for a whole run: a table of the owner's that is there for nothing else, in
 * a mode that nobody can be in the way of without a right to it. It is held by a transaction of a connection of its
 * own, for the run itself is many transactions. Whoever is killed or cut off lets go of it.
 * @throws DeployHeldUp when another run still holds it after the time given.
 */
export async function takeMigrationLock(
  keeper: pg.Client,
  patienceMs: number,
  holder: () => string,
): Promise<void> {
  await keeper.query('begin');
  await keeper.query(`set local role taxclaims_owner; set local lock_timeout = ${Math.max(patienceMs, 1)}`);
  try {
    await keeper.query('lock table app.deploy_lock in share update exclusive mode');
  } catch (error) {
    if (!isContention(error)) throw error;
    throw new DeployHeldUp(`another run is at work on this database: ${holder()}`, { cause: error });
  }
  // From here on it looks after the run, and sees the sessions as the administrator does.
  await keeper.query('set local role none');
}

/** Whether a table of `app` is there and the administrator may work as its owner: not so before the first run's roles. */
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
