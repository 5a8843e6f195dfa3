import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/identity/caller.ts';
import type { TestManagement } from '../support/management.ts';
import { make } from '../support/rows.ts';
import type { Service } from '../support/service.ts';

export interface KnownPerson {
  readonly id: string;
  readonly subject: string;
  token(clients: readonly string[], claims?: object): Promise<string>;
}

/** Stores a user in the database, and a user with the same subject and rights at the test’s identity provider. */
export async function knownPerson(
  service: Service,
  provider: TestManagement,
  role: Role,
  clients: readonly string[],
): Promise<KnownPerson> {
  const id = randomUUID();
  const [subject, email] = [`auth0|${id}`, `${id}@b.example`];
  const rights = { role, client_access: clients, access_changed_at: '-infinity' };
  await make(service, 'users', { id, email, subject, ...rights });
  provider.know(subject, role, clients);
  return {
    ...{ id, subject },
    token: (listed, claims) => service.token(role, listed, { sub: subject, email, ...claims }),
  };
}
