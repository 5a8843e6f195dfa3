import type { Database } from '../../db/database.ts';
import type { Role } from '../../identity/caller.ts';

export interface User {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly clientAccess: readonly string[];
  readonly isActive: boolean;
  readonly passwordHash: string;
  /** The second until which all logins have ended. */
  readonly endedAt: number;
}

/** Waits for a change that is under way; the letters of an email may be large or small. */
export async function findUser(
  database: Pick<Database, 'callAsLogin'>,
  by: 'subject' | 'email',
  value: string,
): Promise<User | undefined> {
  const conditions = {
    subject: 'coalesce(subject, id::text) = $1',
    email: 'lower(email collate "C") = lower($1 collate "C")',
  };
  const text = `select coalesce(subject, id::text), email, name, role, array_to_string(client_access, ','), is_active,
      password_hash, coalesce(floor(extract(epoch from sessions_ended_at)), 0)
    from public.users where ${conditions[by]}
    for share`;
  const { rows } = await database.callAsLogin({ text, values: [value] });
  if (rows[0] === undefined) return undefined;
  const [subject = '', email = '', name = '', role, clients = '', isActive, passwordHash = '', endedAt] =
    rows[0].map(String);
  return {
    ...{ subject, email, name, role: role as Role, passwordHash },
    clientAccess: clients === '' ? [] : clients.split(','),
    ...{ isActive: isActive === 't', endedAt: Number(endedAt) },
  };
}
