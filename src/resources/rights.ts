import { z } from 'zod';
import { buildOperationId } from '../http/description/names.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { ROLES } from '../identity/caller.ts';
import { role } from './users.ts';

const rights = z
  .strictObject({
    role,
    operations: z.array(z.string()).describe('operationId of each operation, in the order of this description.'),
  })
  .meta({ id: 'Rights', 'x-table': 'users', 'x-said': {} });

/** Lists the endpoints that the caller's role may call; row policies decide which records an endpoint returns. */
export function rightsEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  const own: Endpoint = endpoint({
    method: 'get',
    path: '/api/users/me/rights',
    operationId: 'getCurrentUserRights',
    tag: 'Users',
    resource: 'users',
    roles: ROLES,
    responses: { 200: rights },
    summary: 'List the operations that the caller’s role may call; access to individual records can still be refused',
    handle: async (_input, request) => {
      // A transaction without statements checks that the token's rights still hold, as every transaction does first.
      await request.runAll();
      const { role } = request.caller;
      const operations = [own, ...endpoints].filter(({ roles }) => roles.includes(role)).map(buildOperationId);
      return { status: 200, body: JSON.stringify({ role, operations }) };
    },
  });
  return own;
}
