import type { LoadTenant } from './people.ts';

/**
 * The ways in which an answer can contain data of another tenant. Each text is the beginning of a reported violation,
 * by which violations are counted.
 */
export const FOREIGN = {
  text: 'has a text of another tenant',
  row: 'has a row of another client',
  count: 'counts more claims than the tenant has',
} as const;

/** Returns the texts of other tenants in an answer to a person of one tenant. */
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
 * Returns a violation if a counted number of claims exceeds the tenant’s claims: those before the load test and those
 * that its requests may have created.
 */
export function foreignCount(count: number, most: number): string[] {
  return count > most ? [`${FOREIGN.count}: ${String(count)}, and ${String(most)} at most are its`] : [];
}
