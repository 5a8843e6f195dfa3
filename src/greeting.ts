import type { Role } from './identity/caller.ts';
import type { Service } from './service.ts';

interface Person {
  readonly role: Role;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly clientAccess: readonly string[];
}

const client = (number: number): string => `c1000000-0000-4000-8000-00000000000${String(number)}`;

/** The users of the demonstration data, in db/demonstration. */
const PEOPLE: readonly Person[] = [
  {
    role: 'ADMIN',
    subject: 'demonstration|claire',
    email: 'claire.fontaine@cabinet.example',
    name: 'Claire Fontaine',
    clientAccess: [],
  },
  {
    role: 'ACCOUNT_MANAGER',
    subject: 'demonstration|marc',
    email: 'marc.lefevre@cabinet.example',
    name: 'Marc Lefèvre',
    clientAccess: [client(1), client(2), client(3)],
  },
  {
    role: 'TAX_SPECIALIST',
    subject: 'demonstration|amelie',
    email: 'amelie.durand@cabinet.example',
    name: 'Amélie Durand',
    clientAccess: [client(1), client(2)],
  },
  {
    role: 'CLIENT',
    subject: 'demonstration|sophie',
    email: 'sophie.martin@logistique-rhone.example',
    name: 'Sophie Martin',
    clientAccess: [client(1)],
  },
];

/** What a person needs next: addresses, and where the identity provider is embedded, tokens and a line to try. */
export async function greeting({ url, embedded }: Service): Promise<string> {
  const { database, provider } = embedded;
  const lines = ['', `API       ${url}`];
  if (database !== undefined) lines.push(`Postgres  ${database.psql}`);
  if (provider === undefined) return [...lines, ''].join('\n');
  lines.push(`JWKS      ${provider.jwksUrl}`, '', 'Tokens, valid for 12 hours:');
  let last = '';
  for (const person of PEOPLE) {
    last = await provider.sign(person);
    lines.push('', `${person.role} (${person.name})`, last);
  }
  lines.push('', 'Try:', `curl -H 'Authorization: Bearer ${last}' ${url}/api/clients`, '');
  return lines.join('\n');
}
