import pg from 'pg';
import { nothing } from './fault.ts';
import type { World } from './world.ts';

/** Locks a table so that nobody may even read it; gives what lets it go. */
export async function holdTable({ adminUrl }: Pick<World, 'adminUrl'>, table: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: adminUrl, application_name: 'faults' });
  holder.on('error', () => undefined);
  await holder.connect();
  // Without its own turn behind requests that wait for each other, or it would be one of them.
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
  return () => holder.end().then(nothing);
}
