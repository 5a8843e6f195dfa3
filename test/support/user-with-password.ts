import type { Role } from '../../src/identity/caller.ts';
import { hashPasswordWithSalt } from '../../src/identity/password.ts';
import { person } from './people.ts';
import type { Service } from './service.ts';

export const PRESENT = 'the present password';

export interface UserWithPassword {
  readonly id: string;
  readonly email: string;
  /** An access token that was issued a minute ago with the user’s stored rights. */
  readonly token: string;
}

/** Hashes a password with the lowest cost of bcrypt. */
export async function cheapHash(password: string): Promise<string> {
  return hashPasswordWithSalt(password, '$2b$04$abcdefghijklmnopqrstuu');
}

export const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

/** Stores a user with the constant PRESENT as password, or with the given password hash. */
export async function userWithPassword(
  service: Service,
  role: Role,
  { clients = [], hash }: { readonly clients?: readonly string[]; readonly hash?: string } = {},
): Promise<UserWithPassword> {
  const columns = { password_hash: hash ?? (await cheapHash(PRESENT)) };
  const { id, email } = await person(service, role, clients, columns);
  return { id, email, token: await service.token(role, clients, { sub: id, email, iat: secondsAgo(60) }) };
}
