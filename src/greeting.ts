import type { Service } from './service.ts';

export async function greeting({ url, embedded }: Service): Promise<string> {
  const { database, provider, people } = embedded;
  const lines = ['', `Open      ${url}/docs`, `API       ${url}`];
  if (database !== undefined) lines.push(`Postgres  ${database.psql}`);
  if (provider === undefined) return [...lines, ''].join('\n');
  lines.push(`Identity  ${provider.issuer}`, `JWKS      ${provider.jwksUrl}`);
  const logins = database?.logins ?? [];
  if (logins.length > 0) lines.push('', 'Log in as:');
  for (const { email, password } of logins) lines.push(`${email}  ${password}`);
  if (people.length === 0) return [...lines, ''].join('\n');
  lines.push('', 'Tokens, valid for 12 hours:');
  let last = '';
  for (const person of people) {
    last = await person.token();
    lines.push('', `${person.role} (${person.name})`, last);
  }
  lines.push('', 'Try:', `curl -H 'Authorization: Bearer ${last}' ${url}/api/clients`, '');
  return lines.join('\n');
}
