import { peopleOf } from './embedded/people.ts';
import type { Service } from './service.ts';

/** What a person needs next: addresses, and where the identity provider is embedded, tokens and a line to try. */
export async function greeting({ url, embedded }: Service): Promise<string> {
  const { database, provider } = embedded;
  const lines = ['', `Open      ${url}/docs`, `API       ${url}`];
  if (database !== undefined) lines.push(`Postgres  ${database.psql}`);
  if (provider === undefined) return [...lines, ''].join('\n');
  lines.push(`JWKS      ${provider.jwksUrl}`, '', 'Tokens, valid for 12 hours:');
  let last = '';
  for (const person of peopleOf(provider)) {
    last = await person.token();
    lines.push('', `${person.role} (${person.name})`, last);
  }
  lines.push('', 'Try:', `curl -H 'Authorization: Bearer ${last}' ${url}/api/clients`, '');
  return lines.join('\n');
}
