import type pg from 'pg';
import { isContention } from './contention.ts';
import { DeployHeldUp } from './migration-error.ts';

/**
 * Locks the table of deploys for a whole run, in a mode that only its owners can be in the way of, in a transaction on a
 * connection of its own: the run is many transactions.
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
  // It now watches the run, with the administrator's rights.
  await keeper.query('set local role none');
}

/** Whether the table is there and the administrator may work as its owner: not so before the first run. */
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
