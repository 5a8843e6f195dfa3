import type pg from 'pg';
import type { Answer } from './http.ts';
import { withAdmin } from './database.ts';
import type { Service } from './service.ts';
import type { Admin } from './world.ts';

/**
 * Takes the lock `hold` as a superuser, and sends each request once the previous one waits for this lock. Then runs
 * `meanwhile` in the transaction that holds the lock, and releases the lock. Returns the responses in the order of the
 * requests.
 */
export async function inLine<T = Answer>(
  service: Service,
  hold: { readonly text: string; readonly values?: unknown[] },
  send: readonly (() => Promise<T>)[],
  meanwhile?: (admin: Admin) => Promise<unknown>,
): Promise<T[]> {
  return withAdmin(service.postgres.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(hold.text, hold.values);
    const holder = await backendOf(client);
    const answers: Promise<T>[] = [];
    for (const one of send) {
      answers.push(one());
      while ((await waitingBehind(service, holder)) < answers.length);
    }
    await meanwhile?.(async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows);
    await client.query('commit');
    return Promise.all(answers);
  });
}

/** Sends requests that all wait for one row of the database, and releases the row. */
export function collide(
  service: Service,
  { table, id }: { readonly table: string; readonly id: string },
  send: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  return inLine(service, { text: `select from public.${table} where id = $1 for update`, values: [id] }, send);
}

/** Returns SQL that locks a row, as a change of the row does until its commit. */
export function rowOf(table: string, id: string): { text: string; values: unknown[] } {
  return { text: `select from public.${table} where id = $1 for no key update`, values: [id] };
}

/** Returns SQL that locks a whole table, as a deploy does. */
export function wholeTable(table: string): { text: string } {
  return { text: `lock table public.${table} in access exclusive mode` };
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
