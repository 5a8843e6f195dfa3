import type { LoadTenant } from './people.ts';

/**
 * How an answer can show data of another tenant. A reported violation begins with one of these texts, so that
 * violations can be counted by kind.
 */
export const FOREIGN = {
  text: 'has a text of another tenant',
  row: 'has a row of another client',
  count: 'counts more claims than the tenant has',
} as const;

/** Searches an answer to a user of one tenant for texts of other tenants, and returns those that it finds. */
export function foreignIn(
  answer: { readonly headers: object; readonly body: Buffer },
  { own, others }: { readonly own: LoadTenant; readonly others: readonly LoadTenant[] },
): string[] {
  const body = answer.body.toString();
  const text = `${JSON.stringify(answer.headers)}${body}`;
  const secrets = others.flatMap(({ word, client, site, claim }) => [word, client, site, claim]);
  const clients = new Set([...body.matchAll(/"client_id" ?: ?"([0-9a-f-]{36})"/g)].map(([, id = '']) => id));
  clients.delete(own.client);
  return [
    ...secrets.filter((secret) => text.includes(secret)).map((secret) => `${FOREIGN.text}: ${secret}`),
    ...[...clients].map((id) => `${FOREIGN.row}: ${id}`),
  ];
}

/**
 * Returns a violation if the service counted more claims than the tenant can have: the claims from before the load
 * test, and all that the load test has tried to create.
 */
export function foreignCount(count: number, most: number): string[] {
  return count > most ? [`${FOREIGN.count}: ${String(count)}, and ${String(most)} at most are its`] : [];
}
