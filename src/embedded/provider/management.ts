import express, { type Response, type Router } from 'express';
import type { Database } from '../../db/database.ts';
import { findUser } from './users.ts';

/**
 * What the service asks of an identity provider, in the shapes of Auth0. It tells of rows that are the provider's own and
 * have changed before: what it says is confirmed, and the rights as they are now are the answer. Of roles it knows none.
 */
export function managementOf(database: Pick<Database, 'callAsLogin'>, credential: string): Router {
  const router = express.Router();
  router.use((request, response, next) => {
    if (request.headers.authorization === `Bearer ${credential}`) next();
    else refuse(response, 401, 'invalid_token');
  });
  router.all('/users/:id', express.json({ limit: '1mb' }), async (request, response) => {
    const user = await findUser(database, 'subject', request.params.id);
    if (user === undefined) {
      refuse(response, 404, 'inexistent_user');
      return;
    }
    const { subject, email, name, role, clientAccess, isActive } = user;
    response.json({
      ...{ user_id: subject, email, email_verified: true, name, blocked: !isActive },
      app_metadata: { role, client_access: clientAccess },
    });
  });
  return router;
}

function refuse(response: Response, statusCode: number, errorCode: string): void {
  response.status(statusCode).json({ statusCode, error: errorCode, message: errorCode, errorCode });
}
