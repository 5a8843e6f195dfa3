import pg from 'pg';
import { nothing } from './fault.ts';
import type { World } from './world.ts';

/** Locks a table so that nobody can read it, and returns the function that releases the lock. */
export async function holdTable({ adminUrl }: Pick<World, 'adminUrl'>, table: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: adminUrl, application_name: 'faults' });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
  return () => holder.end().then(nothing);
}
