import { z } from 'zod';
import { replyWithRecord } from '../http/answer.ts';
import { endpoint, publicEndpoint } from '../http/endpoint.ts';
import { ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import { role, selectOwnUser, user } from './users.ts';

const profile = z
  .strictObject({
    id: z.guid(),
    sub: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    role,
    client_access: z.array(z.guid()),
  })
  .meta({ id: 'Profile', 'x-table': 'users', 'x-said': { sub: 'Subject of the user at the identity provider.' } });

export const profileEndpoint = endpoint({
  method: 'get',
  path: '/api/auth/profile',
  operationId: 'getProfile',
  summary: 'Get the caller’s profile from the token',
  tag: 'Authentication',
  resource: 'users',
  roles: ROLES,
  responses: { 200: profile },
  handle: async (_input, request) => {
    const { rows } = await request.run({ text: 'select app.user_id()', values: [] });
    const { subject: sub, email = null, name = null, role, clientAccess: client_access } = request.caller;
    return { status: 200, body: JSON.stringify({ id: rows[0]?.[0], sub, email, name, role, client_access }) };
  },
});

export const loginEndpoint = publicEndpoint({
  method: 'post',
  path: '/api/auth/login',
  operationId: 'logIn',
  summary: "Log in: validate the identity provider's token and store its user",
  tag: 'Authentication',
  resource: 'users',
  roles: 'public',
  constraints: {
    users_email_key: { token: rule('taken.token_email') },
    users_pkey: { token: rule('taken.subject') },
    users_last_administrator: { token: rule('last_administrator.token') },
  },
  body: z
    .strictObject({
      token: z
        .string()
        .min(1, rule('empty'))
        .meta({ description: 'Access token of the identity provider, without `Bearer`.' }),
    })
    .meta({ id: 'LoginToken', example: { token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl' } }),
  responses: { 200: user },
  handle: async ({ body }, _database, authenticate) => {
    const request = await authenticate(body.token);
    const { email = null, name = null, issuedAt } = request.caller;
    // The database stores no user for a token without a verified email.
    const login = { text: 'select app.record_login($1, $2, to_timestamp($3))', values: [email, name, issuedAt] };
    return replyWithRecord(user, await request.run([login, selectOwnUser(request.caller)]));
  },
});
