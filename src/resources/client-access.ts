import type { Statement } from '../db/statement.ts';
import { replyWithRecord } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import { MANAGER_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import { assignmentConstraints, lockUsers, user } from './users.ts';

const accessOptions = {
  tag: 'Users',
  resource: 'users',
  path: '/api/users/{id}/client-access/{clientId}',
  roles: MANAGER_ROLES,
} as const;

/** The function checks the caller's rights, because row policies hide a user who shares no client with the caller. */
function assignClient(
  { id, clientId }: Readonly<Record<'id' | 'clientId', string>>,
  assigned: boolean,
  { caller, ifMatch }: CallerRequest,
): readonly Statement[] {
  return [
    lockUsers(caller, id),
    { text: 'select app.assign_client($1, $2, $3, $4)', values: [id, clientId, assigned, ifMatch] },
  ];
}

export const clientAccessEndpoints = [
  endpoint({
    ...accessOptions,
    constraints: assignmentConstraints,
    method: 'put',
    operationId: 'assignClient',
    comparesIfMatch: true,
    summary: 'Give a user access to a client; no effect if the user already has access',
    responses: { 200: user },
    clients: ({ params }) => [params.clientId],
    handle: async ({ params }, request) => {
      const statements = assignClient(params, true, request);
      return replyWithRecord(user, await request.run([...statements, user.byId(params.id)]));
    },
  }),
  endpoint({
    ...accessOptions,
    constraints: { users_last_client: { client_access: rule('last_client') } },
    method: 'delete',
    operationId: 'withdrawClient',
    comparesIfMatch: true,
    summary: 'Remove a user’s access to a client; no effect if the user has no access',
    responses: { 204: null },
    clients: ({ params }) => [params.clientId],
    handle: async ({ params }, request) => {
      await request.run(assignClient(params, false, request));
      return { status: 204 };
    },
  }),
];
