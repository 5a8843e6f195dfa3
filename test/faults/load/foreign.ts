import type { LoadTenant } from './people.ts';

/** What of another tenant an answer may hold; each begins with what it is counted by. */
export const FOREIGN = {
  text: 'has a text of another tenant',
  row: 'has a row of another client',
  count: 'counts more than the tenant has',
} as const;

/** What the answer to somebody of one tenant holds of what it must not. */
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

/** A count that is larger than what the tenant's people have sent, be it answered or not, and what was there before. */
export function foreignCount(count: number, most: number): string[] {
  return count > most ? [`${FOREIGN.count}: ${String(count)}, and ${String(most)} at most are its`] : [];
}
