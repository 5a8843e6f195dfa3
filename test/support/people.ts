import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/identity/caller.ts';
import { make } from './rows.ts';
import type { Values } from './rows.ts';
import type { Service } from './service.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly subject: string;
  /** An access token with the rights that `person` stored for the user. */
  readonly token: string;
}

/**
 * Stores a user with the given role and clients, and returns the user with an access token. `columns` has further
 * columns of the user by their SQL names.
 */
export async function person(
  service: Service,
  role: Role,
  clients: readonly string[] = [],
  columns: Values = {},
): Promise<Person> {
  const id = randomUUID();
  const { email, subject } = { email: `${id}@users.example`, subject: id, ...columns };
  const stored = { role, client_access: clients, access_changed_at: '-infinity', ...columns };
  await make(service, 'users', { ...stored, id, email, subject, name: columns['name'] ?? 'Dupont' });
  const token = await service.token(role, clients, { sub: subject, email });
  return { id, email, subject, token };
}
