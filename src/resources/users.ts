import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { validationError } from '../errors.ts';
import { replyWithRecord } from '../http/answer.ts';
import { createRecord } from '../http/creation.ts';
import { endpoint } from '../http/endpoint.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import * as field from '../http/fields.ts';
import { abortOnHangUp } from '../http/hang-up.ts';
import { MANAGER_ROLES, ROLES, type Caller } from '../identity/caller.ts';
import { hashPassword, isHashable, normalizePassword, NO_PASSWORD_HASH } from '../identity/password.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByText } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { MAX_PASSWORD_BYTES } from '../limits.ts';

const WEAK_PASSWORD = rule('weak_password', { min: 12, max: MAX_PASSWORD_BYTES });

export const password = z
  .string(WEAK_PASSWORD)
  .refine((value) => Array.from(normalizePassword(value)).length >= 12, WEAK_PASSWORD)
  .refine(isHashable, WEAK_PASSWORD)
  .meta({
    type: 'string',
    format: 'password',
    minLength: 12,
    maxLength: MAX_PASSWORD_BYTES,
    writeOnly: true,
    description: `At least 12 characters and at most ${MAX_PASSWORD_BYTES} bytes in UTF-8. It must not be the email, and must differ from the current password. Stored as a salted hash and never returned.`,
  });

export const PASSWORD_IS_EMAIL_RULE = rule('weak_password.email');

export function isPasswordSameAsEmail(password: string, email: string): boolean {
  return normalizePassword(password).toLowerCase() === email.toLowerCase();
}

const clientAccessInput = z
  .array(field.uuid, rule('not_a_list.uuids'))
  .max(5000, rule('too_many_items', { max: 5000 }))
  .overwrite((ids) => [...new Set(ids)].toSorted());

/**
 * SQL for the clients of user `r` that the caller may see. The user and an ADMIN without a client list see all clients
 * of the user; another caller sees only the clients to which both have access.
 */
const VISIBLE_CLIENTS_SQL = `case
        when r.id = app.user_id() or current_user = 'taxclaims_admin' then r.client_access
        else array(
            select c.id
            from unnest(r.client_access) with ordinality as c (id, position)
            where c.id = any ((select app.client_access())::uuid[])
            order by c.position
        )
    end`;

const VISIBLE_IS_ACTIVE_SQL = `case when current_user in ('taxclaims_admin', 'taxclaims_scoped_admin') then r.is_active end`;

const isActive = column.withMeta(column.omittedWhenNull(column.boolean), { description: 'Returned only to an ADMIN.' });

export const role = field.enumOf('Role');

/** A caller who has no row in users gets null for each field that the token does not contain. */
export const user = record(
  'User',
  'users',
  {
    id: column.id,
    email: column.writable(column.nullable(column.text(255)), field.email),
    name: column.writable(column.nullable(column.text(255)), field.nonBlankText(255)),
    role: column.writable(column.enumText(role), role),
    client_access: column.writtenByEndpoint(column.uuids, clientAccessInput.optional(), VISIBLE_CLIENTS_SQL),
    is_active: column.writtenByEndpoint(
      isActive,
      z.boolean(rule('not_true_or_false')).optional(),
      VISIBLE_IS_ACTIVE_SQL,
    ),
    created_at: column.readOnly(column.nullable(column.time)),
    updated_at: column.readOnly(column.nullable(column.time)),
  },
  {
    examples: {
      record: {
        id: 'd1000000-0000-4000-8000-000000000003',
        email: 'amelie.durand@cabinet.example',
        name: 'Amélie Durand',
        role: 'TAX_SPECIALIST',
        client_access: ['c1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000002'],
        is_active: true,
        created_at: '2024-01-03T09:00:00.000Z',
      },
      creation: {
        email: 'jeanne.morel@cabinet.example',
        name: 'Jeanne Morel',
        role: 'TAX_SPECIALIST',
        client_access: ['c1000000-0000-4000-8000-000000000001'],
      },
      change: { name: 'Amélie Durand-Roche' },
    },
    label: ['email', 'name'],
    lookUp: (ids) => `(
        select a.id, u.email, a.name
        from app.named_assignees(${ids}) as a
        left join public.users as u on u.id = a.id
    )`,
  },
);

const users = listOf({
  of: user,
  newest: 'created_at',
  filters: {
    is_active: {
      ...filterByCondition(
        field.booleanParameter,
        'r.is_active = $',
        'Return only active users (`true`) or only inactive users (`false`). Available only to an ADMIN.',
      ),
      roles: ['ADMIN'],
    },
    client_id: filterByAny(
      field.uuid,
      '$ = any (r.client_access)',
      'Return only users who have this client in client_access. An ADMIN with an empty list has access to every client and is not returned.',
      'r.client_access && $',
    ),
    q: filterByText('r.name', 'r.email'),
  },
});

const passwordField = { password: password.optional() };

/** Constraints that an assignment of a client to a user may violate. */
export const assignmentConstraints = {
  users_client_access_exists: { client_access: rule('no_such_record.clients') },
  users_erased: { id: rule('erased') },
} as const;

const creationConstraints = {
  users_email_key: { email: rule('taken') },
  users_email_not_erased: { email: rule('not_an_email') },
  users_client_access_exists: assignmentConstraints.users_client_access_exists,
} as const;

const changeConstraints = { ...creationConstraints, ...assignmentConstraints } as const;

export function selectOwnUser({ email, name, role, clientAccess }: Caller): Statement {
  return {
    text: `
select ${user.selectList}
from public.users as r
where r.id = app.user_id()
union all
select app.user_id(), $1, $2, $3, $4::uuid[], null::boolean, null, null
where not exists (select from public.users as u where u.id = app.user_id())`,
    values: [email ?? null, name ?? null, role, clientAccess],
  };
}

/** Runs before every write to users: locks the caller's row and the target's, then checks the caller's rights. */
export function lockUsers({ issuedAt, accessDigest }: Caller, target: string | null = null): Statement {
  return { text: 'select app.hold_author(to_timestamp($1), $2, $3)', values: [issuedAt, accessDigest, target] };
}

function hashUnlessHungUp({ incoming }: CallerRequest, password: string): Promise<string> {
  return abortOnHangUp(incoming, (signal) => hashPassword(password, { signal }));
}

/** @throws RequestError ERROR_VALIDATION where the password is the email */
async function refuseEmailAsPassword(
  password: string,
  id: string,
  given: string | undefined,
  request: CallerRequest,
): Promise<void> {
  const query = { text: 'select r.email from public.users as r where r.id = $1', values: [id] };
  const email = given ?? (await request.run(query)).rows[0]?.[0];
  if (typeof email === 'string' && isPasswordSameAsEmail(password, email))
    throw validationError('password', PASSWORD_IS_EMAIL_RULE);
}

const { commonOptions, list, read, changes } = endpointsOf(user, { tag: 'Users', path: '/api/users' });

export const userEndpoints = [
  endpoint({
    ...commonOptions,
    method: 'get',
    path: '/api/users/me',
    operationId: 'getCurrentUser',
    summary: 'Get the caller’s own user record',
    roles: ROLES,
    read: (_input, caller) => selectOwnUser(caller),
  }),
  list(users, {
    summary: 'List the users that the caller may see',
    roles: ROLES,
    clients: ({ query }) => query.client_id ?? [],
  }),
  endpoint({
    ...commonOptions,
    constraints: creationConstraints,
    method: 'post',
    path: '/api/users',
    summary: 'Create a user; the identity provider must know the user by the same email',
    roles: ['ADMIN'],
    body: user.newBody
      .extend(passwordField)
      .refine(({ email, password }) => password === undefined || !isPasswordSameAsEmail(password, email), {
        path: ['password'],
        error: PASSWORD_IS_EMAIL_RULE,
      })
      .meta({ ...user.newBody.meta() }),
    responses: { 201: user },
    clients: ({ body }) => body.client_access ?? [],
    existing: ({ body }) => ({
      users_email_key: {
        text: 'select r.id from public.users as r where lower(r.email collate "C") = lower($1 collate "C")',
        values: [body.email],
      },
    }),
    handle: async ({ body }, request) => {
      const id = randomUUID();
      const { email, name, role, client_access = [], is_active = true, password } = body;
      const hash = password === undefined ? NO_PASSWORD_HASH : await hashUnlessHungUp(request, password);
      return createRecord(request, {
        of: user,
        id,
        location: `/api/users/${id}`,
        make: [
          lockUsers(request.caller),
          {
            text: `
insert into public.users as r (id, email, password_hash, name, role, client_access, is_active)
values ($1, $2, $3, $4, $5, $6, $7)
returning ${user.selectList}`,
            values: [id, email, hash, name, role, client_access, is_active],
          },
        ],
      });
    },
  }),
  read({ summary: 'Get a user', roles: ROLES }),
  changes(MANAGER_ROLES),
  endpoint({
    ...commonOptions,
    constraints: changeConstraints,
    method: 'put',
    path: '/api/users/{id}',
    comparesIfMatch: true,
    summary: 'Update the given fields of a user; tokens with the previous rights are refused from then on',
    roles: ['ADMIN'],
    body: user.changeBody.extend(passwordField).meta({ ...user.changeBody.meta() }),
    responses: { 200: user },
    clients: ({ body }) => body.client_access ?? [],
    handle: async ({ params, body }, request) => {
      const { password, ...fields } = body;
      if (password !== undefined) await refuseEmailAsPassword(password, params.id, fields.email, request);
      // The statement writes the password hash without reading it, because the caller's database role may not read it.
      const hashes = password === undefined ? [] : [await hashUnlessHungUp(request, password)];
      const update = {
        text: `
update public.users as r
set ${hashes.length === 0 ? '' : 'password_hash = $4,'}
    client_access = coalesce(n.client_access, r.client_access),
    is_active = coalesce(n.is_active, r.is_active),${user.setClause('$2')}
from ${user.bodyAsRow('$2')}
where r.id = $1
    and ${user.isVersion('$3')}
returning ${user.selectList}`,
        values: [params.id, JSON.stringify(fields), user.versions(request.ifMatch), ...hashes],
      };
      // Locks both users in the order of their ids, so that two who change each other do not deadlock.
      const lock = {
        text: 'select from public.users as r where r.id = $1 and r.id <= app.user_id() for no key update',
        values: [params.id],
      };
      return replyWithRecord(user, await request.run([lock, lockUsers(request.caller), update]));
    },
  }),
];
