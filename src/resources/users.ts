import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { endpoint } from '../http/endpoint.ts';
import { ROLES } from '../identity/caller.ts';
import type { Caller } from '../identity/caller.ts';

const timestamp = z.iso.datetime({ offset: true });

/** Nullable is what a token need not say, for a user who is not stored. */
export const user = z
  .strictObject({
    id: z.guid(),
    email: z.string().max(255).nullable(),
    name: z.string().max(255).nullable(),
    role: z.enum(ROLES),
    client_access: z.array(z.guid()),
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'User' });

const columns = `
    u.id,
    u.email,
    u.name,
    u.role,
    u.client_access,
    u.created_at,
    u.updated_at`;

/** The caller as stored, or the same from the token where none is stored. */
export function self({ email, name, role, clientAccess }: Caller): Statement {
  return {
    text: `
select to_json(r)::text
from (
    select ${columns}
    from public.users u
    where u.id = app.user_id()
    union all
    select app.user_id(), $1, $2, $3, $4::uuid[], null, null
    where not exists (select from public.users u where u.id = app.user_id())
) r`,
    values: [email ?? null, name ?? null, role, clientAccess],
  };
}

export const readSelf = endpoint({
  method: 'get',
  path: '/api/users/me',
  summary: "Read the caller's own record",
  tag: 'Users',
  resource: 'users',
  roles: ROLES,
  responses: { 200: user },
  record: (_input, caller) => self(caller),
});
