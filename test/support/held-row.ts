import type pg from 'pg';
import type { Answer } from './http.ts';
import { withAdmin } from './database.ts';
import type { Service } from './service.ts';

/**
 * Locks a row of the database until all given requests wait for the row, then releases the row. Returns the responses
 * to the requests.
 */
export async function collide(
  service: Service,
  { table, id }: { readonly table: string; readonly id: string },
  send: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  return withAdmin(service.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(`select from public.${table} where id = $1 for update`, [id]);
    const holder = await backendOf(client);
    const answers = Promise.all(send.map((one) => one()));
    while ((await waitingBehind(service, holder)) < send.length);
    await client.query('commit');
    return answers;
  });
}

export async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? Number.NaN;
}

/**
 * Counts the database sessions that wait for a lock of the session `holder`, directly or behind another waiting
 * session.
 */
export async function waitingBehind(service: Pick<Service, 'admin'>, holder: number): Promise<number> {
  const rows = await service.admin(
    `with recursive behind as (
       select $1::integer as pid
       union
       select a.pid
       from behind as b
       join (
         select s.pid, pg_blocking_pids(s.pid) as blockers
         from pg_stat_activity as s
         where s.wait_event_type = 'Lock' and s.datname = current_database()
       ) as a on b.pid = any (a.blockers)
     )
     select from behind where pid <> $1`,
    [holder],
  );
  return rows.length;
}

export async function waiting(service: Pick<Service, 'admin'>): Promise<number> {
  const rows = await service.admin(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows.length;
}
