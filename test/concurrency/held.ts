import { withAdmin } from '../support/database.ts';
import type { Answer } from '../support/http.ts';
import { backendOf, waitingBehind } from '../support/held-row.ts';
import type { Service } from '../support/service.ts';
import type { Admin } from '../support/world.ts';

/** What happens while requests wait: SQL of the superuser's in the transaction that holds them up. */
type Meanwhile = (admin: Admin) => Promise<unknown>;

/**
 * Holds what `hold` takes, sends the requests one after the other, each once the one before waits for it, does
 * `meanwhile`, and lets go. Gives the answers in the order of the requests.
 */
export async function inLine<T = Answer>(
  service: Service,
  hold: { readonly text: string; readonly values?: unknown[] },
  send: readonly (() => Promise<T>)[],
  meanwhile?: Meanwhile,
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

/** The row of a table, as a change of it that is under way. */
export function rowOf(table: string, id: string): { text: string; values: unknown[] } {
  return { text: `select from public.${table} where id = $1 for no key update`, values: [id] };
}

/** A whole table, as a deploy takes it. */
export function wholeTable(table: string): { text: string } {
  return { text: `lock table public.${table} in access exclusive mode` };
}
