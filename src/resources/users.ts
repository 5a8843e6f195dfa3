import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import { changed, created } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import type { CallerRequest } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import type { Caller } from '../identity/caller.ts';
import { hashPassword, LONGEST_PASSWORD, NO_PASSWORD } from '../identity/password.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';

/** Nullable is what a token need not say, for a user who is not stored. */
export const user = z
  .strictObject({
    id: z.guid(),
    email: z.string().max(255).nullable(),
    name: z.string().max(255).nullable(),
    role: z.enum(ROLES),
    client_access: z.array(z.guid()),
    created_at: field.timestamp.nullable(),
    updated_at: field.timestamp.nullable(),
  })
  .meta({ id: 'User' });

const PASSWORD_RULE = `must have at least 12 characters and at most ${LONGEST_PASSWORD} bytes`;

const password = z
  .string(PASSWORD_RULE)
  .refine((value) => Array.from(value).length >= 12, PASSWORD_RULE)
  .refine((value) => Buffer.byteLength(value) <= LONGEST_PASSWORD, PASSWORD_RULE)
  .meta({
    type: 'string',
    format: 'password',
    minLength: 12,
    maxLength: LONGEST_PASSWORD,
    writeOnly: true,
    description: 'Stored as a salted hash and never given back.',
  });

const clientAccess = z
  .array(field.uuid, 'must be an array of UUIDs')
  .max(5000, 'must have at most 5000 items')
  .overwrite((ids) => [...new Set(ids)].toSorted());

const writable = {
  email: field.email,
  name: field.name(255),
  role: field.oneOf(...ROLES),
};

const optional = {
  client_access: clientAccess.optional(),
  is_active: z.boolean('must be true or false').optional(),
  password: password.optional(),
};

/** Whoever is neither the user nor an ADMIN without a list sees of a user's clients those that are its own as well. */
const columns = `
    r.id,
    r.email,
    r.name,
    r.role,
    case
        when r.id = app.user_id() or current_user = 'taxclaims_admin' then r.client_access
        else array(
            select c.id
            from unnest(r.client_access) with ordinality as c (id, position)
            where c.id = any ((select app.client_access())::uuid[])
            order by c.position
        )
    end as client_access,
    r.created_at,
    r.updated_at`;

/** What a write gives back: a row as a whole would have columns that no request reads. */
const returned = 'id, email, name, role, client_access, created_at, updated_at';

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Users', resource: 'users' } as const;

/** What the database refuses to make of a user, by whatever way. */
export const rules = {
  users_email_key: { email: 'must not be the address of another user' },
  users_client_access_exists: { client_access: 'must name clients that exist' },
  users_own_administration: { role: 'an ADMIN does not make itself inactive or take its own role' },
  users_last_administrator: { role: 'the last active ADMIN without a list stays one' },
  users_last_client: { client_access: 'an ADMIN without a list would have every client' },
} as const;

/** The caller as stored, or the same from the token where none is stored. */
export function self({ email, name, role, clientAccess }: Caller): Statement {
  return {
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.users as r
    where r.id = app.user_id()
    union all
    select app.user_id(), $1, $2, $3, $4::uuid[], null, null
    where not exists (select from public.users as u where u.id = app.user_id())
) r`,
    values: [email ?? null, name ?? null, role, clientAccess],
  };
}

/** One user as the caller sees it, with its entity tag. */
export function userById(id: string): Statement {
  return {
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.users as r
    where r.id = $1
) r`,
    values: [id],
  };
}

export const readSelf = endpoint({
  ...common,
  method: 'get',
  path: '/api/users/me',
  summary: "Read the caller's own record",
  roles: ROLES,
  responses: { 200: user },
  record: (_input, caller) => self(caller),
});

export const listUsers = endpoint({
  ...common,
  method: 'get',
  path: '/api/users',
  summary: 'List the users that the caller sees',
  roles: ROLES,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'email', 'name'),
    role: field.oneOf(...ROLES).optional(),
    is_active: field.flag.optional(),
    client_id: field.uuid.optional(),
    q: field.search,
  }),
  responses: { 200: z.array(user) },
  clients: ({ query }) => (query.client_id === undefined ? [] : [query.client_id]),
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.users as r',
        sorts: { created_at: 'timestamptz', updated_at: 'timestamptz', email: 'text', name: 'text' },
        filters: {
          ...CREATED,
          ...UPDATED,
          role: 'r.role = $',
          is_active: 'r.is_active = $',
          client_id: '$ = any (r.client_access)',
          q: '(r.name ilike $ or r.email ilike $)',
        },
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readUser = endpoint({
  ...common,
  method: 'get',
  path: '/api/users/{id}',
  summary: 'Read a user',
  roles: ROLES,
  params,
  responses: { 200: user },
  id: ({ params }) => params.id,
  record: ({ params }) => userById(params.id),
});

export const createUser = endpoint({
  ...common,
  constraints: rules,
  method: 'post',
  path: '/api/users',
  summary: 'Create a user, whom the identity provider knows by the same email',
  roles: ['ADMIN'],
  body: z.strictObject({ ...field.readOnly, ...writable, ...optional }).meta({ id: 'NewUser' }),
  responses: { 201: user },
  clients: ({ body }) => body.client_access ?? [],
  handle: async ({ body }, request) => {
    const id = randomUUID();
    const { email, name, role, client_access = [], is_active = true, password } = body;
    const hash = password === undefined ? NO_PASSWORD : await hashPassword(password);
    const made = await request.run({
      text: `
with r as (
    insert into public.users (id, email, password_hash, name, role, client_access, is_active)
    values ($1, $2, $3, $4, $5, $6, $7)
    returning ${returned}
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
      values: [id, email, hash, name, role, client_access, is_active],
    });
    return created(made, `/api/users/${id}`);
  },
});

export const changeUser = endpoint({
  ...common,
  constraints: rules,
  method: 'put',
  path: '/api/users/{id}',
  summary: 'Change the given fields of a user; a token that says other rights is refused from then on',
  roles: ['ADMIN'],
  params,
  body: z
    .strictObject({ ...field.readOnly, ...writable, ...optional })
    .partial()
    .meta({ id: 'UserChange' }),
  responses: { 200: user },
  id: ({ params }) => params.id,
  clients: ({ body }) => body.client_access ?? [],
  handle: async ({ params, body }, request) => {
    const { email = null, name = null, role = null, client_access = null, is_active = null } = body;
    // The hash may be written and not be read: what is not given is not mentioned.
    const hash = body.password === undefined ? [] : [await hashPassword(body.password)];
    const result = await request.run({
      text: `
with r as (
    update public.users as u
    set
        ${hash.length === 0 ? '' : 'password_hash = $8,'}
        email = coalesce($3, u.email),
        name = coalesce($4, u.name),
        role = coalesce($5, u.role),
        client_access = coalesce($6, u.client_access),
        is_active = coalesce($7, u.is_active)
    where u.id = $1 and ($2::text[] is null or app.etag(u.updated_at) = any ($2))
    returning ${returned}
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
      values: [params.id, request.ifMatch, email, name, role, client_access, is_active, ...hash],
    });
    if (result.rowCount === 0) await assertChangeable(params.id, request);
    return changed(result, request);
  },
});

/**
 * An ADMIN with a list sees users whom it may not change, since they have other clients beside. To lock a row takes
 * what the policy for updates asks.
 */
async function assertChangeable(id: string, request: CallerRequest): Promise<void> {
  await request.assertVisible();
  const { rowCount } = await request.run({
    text: 'select from public.users as u where u.id = $1 for update',
    values: [id],
  });
  if (rowCount === 0)
    throw new RequestError('ERROR_FORBIDDEN', `users ${id} has other clients beside the caller's`);
}
