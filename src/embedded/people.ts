import type { Config } from '../config.ts';
import { isLoopback } from '../identity/loopback.ts';
import type { Person } from '../http/docs.ts';
import type { TokenSigner } from './provider/key.ts';

const client = (number: number): string => `c1000000-0000-4000-8000-00000000000${String(number)}`;

export const PEOPLE = [
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
] as const;

export function peopleOf(signer: TokenSigner): readonly Person[] {
  return PEOPLE.map((person) => ({ ...person, token: () => signer.sign(person) }));
}

/** True where /docs may show tokens: with embedded parts alone, on this machine, without a proxy. */
export function isDemonstration({ database, identity, host, trustProxy }: Config): boolean {
  const isEmbedded = database.url === undefined && identity.provider === undefined;
  return isEmbedded && isLoopback(host) && trustProxy === 0;
}
