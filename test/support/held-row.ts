import type { Answer } from './http.ts';
import { withAdmin } from './database.ts';
import type { Service } from './service.ts';

/** Lets requests run into a row that is locked, all of them, before any can go on; gives their answers. */
export async function collide(
  service: Service,
  { table, id }: { readonly table: string; readonly id: string },
  send: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  return withAdmin(service.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(`select from public.${table} where id = $1 for update`, [id]);
    const answers = Promise.all(send.map((one) => one()));
    while ((await waiting(service)) < send.length);
    await client.query('commit');
    return answers;
  });
}

/** How many sessions of the database wait for a lock. */
export async function waiting(service: Pick<Service, 'admin'>): Promise<number> {
  const rows = await service.admin(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.length;
}
