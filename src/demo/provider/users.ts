import express, { type Response, type Router } from 'express';
import type { Database } from '../../db/database.ts';
import type { Role } from '../../identity/caller.ts';

/** A database whose login has the right to read every user. */
export type LoginDatabase = Pick<Database, 'callAsLogin'>;

export type User = NonNullable<Awaited<ReturnType<typeof findUser>>>;

/** `for share` makes the query wait until a concurrent change of the user is complete. */
export async function findUser(database: LoginDatabase, by: 'subject' | 'email', value: string) {
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
    subject,
    email,
    name,
    role: role as Role,
    passwordHash,
    clientAccess: clients === '' ? [] : clients.split(','),
    isActive: isActive === 't',
    /** A time in seconds since the epoch; the user's logins before this time have ended. */
    endedAt: Number(endedAt),
  };
}

/**
 * Imitates the reading part of Auth0's management API. The embedded provider reads users from the service's own table,
 * so it needs no updates through the management API.
 */
export function createManagementRouter(database: LoginDatabase, credential: string): Router {
  const router = express.Router();
  router.use((request, response, next) => {
    if (request.headers.authorization === `Bearer ${credential}`) next();
    else sendManagementError(response, 401, 'invalid_token');
  });
  router.all('/users/:id', express.json({ limit: '1mb' }), async (request, response) => {
    const user = await findUser(database, 'subject', request.params.id);
    if (user === undefined) {
      sendManagementError(response, 404, 'inexistent_user');
      return;
    }
    const { subject, email, name, role, clientAccess, isActive } = user;
    response.json({
      user_id: subject,
      email,
      email_verified: true,
      name,
      blocked: !isActive,
      app_metadata: { role, client_access: clientAccess },
    });
  });
  return router;
}

function sendManagementError(response: Response, statusCode: number, errorCode: string): void {
  response.status(statusCode).json({ statusCode, error: errorCode, message: errorCode, errorCode });
}
