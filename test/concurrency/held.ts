import { withAdmin } from '../support/database.ts';
import type { Answer } from '../support/http.ts';
import { backendOf, waitingBehind } from '../support/held-row.ts';
import type { Service } from '../support/service.ts';
import type { Admin } from '../support/world.ts';

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

/** Returns SQL that locks a row, as a change of the row does until its commit. */
export function rowOf(table: string, id: string): { text: string; values: unknown[] } {
  return { text: `select from public.${table} where id = $1 for no key update`, values: [id] };
}

/** Returns SQL that locks a whole table, as a deploy does. */
export function wholeTable(table: string): { text: string } {
  return { text: `lock table public.${table} in access exclusive mode` };
}
