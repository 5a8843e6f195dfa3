import type { Config } from '../config.ts';
import { isLoopback } from '../identity/loopback.ts';
import type { DemonstrationUser } from '../http/docs.ts';
import type { TokenSigner } from './provider/key.ts';

const PEOPLE_ROWS = [
  ['ADMIN', 'claire', 'claire.fontaine@cabinet.example', 'Claire Fontaine', []],
  ['ACCOUNT_MANAGER', 'marc', 'marc.lefevre@cabinet.example', 'Marc Lefèvre', [1, 2, 3]],
  ['TAX_SPECIALIST', 'amelie', 'amelie.durand@cabinet.example', 'Amélie Durand', [1, 2]],
  ['CLIENT', 'sophie', 'sophie.martin@logistique-rhone.example', 'Sophie Martin', [1]],
] as const;

export const DEMONSTRATION_USERS = PEOPLE_ROWS.map(([role, subject, email, name, clients]) => ({
  role,
  email,
  name,
  subject: `demonstration|${subject}`,
  clientAccess: clients.map((number) => `c1000000-0000-4000-8000-00000000000${number}`),
}));

export function createDemonstrationUsers(signer: TokenSigner): readonly DemonstrationUser[] {
  return DEMONSTRATION_USERS.map((person) => ({ ...person, token: () => signer.sign(person) }));
}

/** True if /docs may show tokens, because Postgres and the provider are embedded, on loopback, and without a proxy. */
export function isDemonstrationConfig({ database, identity, host, trustProxy }: Config): boolean {
  return database.url === undefined && identity.provider === undefined && isLoopback(host) && trustProxy === 0;
}
