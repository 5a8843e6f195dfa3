import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { created } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';

const client = z
  .strictObject({
    id: z.guid(),
    company_name: z.string().max(255),
    nom: z.string().max(255).meta({ description: 'The same text as company_name.', readOnly: true }),
    contact_email: z.string().max(255),
    address: z.string().nullable(),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Client' });

const writable = {
  company_name: field.name(255),
  contact_email: field.email,
  address: field.prose.nullable().optional(),
};

const readOnly = { ...field.readOnly, nom: field.ignored };

const columns = `
    r.id,
    r.company_name,
    r.company_name as nom,
    r.contact_email,
    r.address,
    r.created_at,
    r.updated_at`;

const params = z.strictObject({ clientId: field.uuid });

const common = { tag: 'Clients', resource: 'clients' } as const;

export const listClients = endpoint({
  ...common,
  method: 'get',
  path: '/api/clients',
  summary: 'List the clients that the caller has access to',
  roles: ROLES,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'company_name'),
    q: field.search,
  }),
  responses: { 200: z.array(client) },
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.clients as r',
        sorts: { created_at: 'timestamptz', updated_at: 'timestamptz', company_name: 'text' },
        filters: {
          ...CREATED,
          ...UPDATED,
          q: '(r.company_name ilike $ or r.contact_email ilike $ or r.address ilike $)',
        },
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readClient = endpoint({
  ...common,
  method: 'get',
  path: '/api/clients/{clientId}',
  summary: 'Read a client',
  roles: ROLES,
  params,
  responses: { 200: client },
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.clients as r
    where r.id = $1
) r`,
    values: [params.clientId],
  }),
});

/** Whoever creates a client has access to it: in this request, and by the stored list in the next token. */
export const createClient = endpoint({
  ...common,
  method: 'post',
  path: '/api/clients',
  summary: 'Create a client',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  body: z.strictObject({ ...readOnly, ...writable }),
  responses: { 201: client },
  handle: async ({ body }, request) => {
    const id = randomUUID();
    const { issuedAt, accessDigest } = request.caller;
    const [made] = await request.within(id).runAll(
      {
        text: `
with r as (
    insert into public.clients (id, company_name, contact_email, address)
    values ($1, $2, $3, $4)
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
        values: [id, body.company_name, body.contact_email, body.address ?? null],
      },
      {
        text: 'select app.gain_client($1, to_timestamp($2), $3)',
        values: [id, issuedAt, accessDigest],
      },
    );
    return created(made, `/api/clients/${id}`);
  },
});

export const changeClient = endpoint({
  ...common,
  method: 'put',
  path: '/api/clients/{clientId}',
  summary: 'Change the given fields of a client',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  body: z.strictObject({ ...readOnly, ...writable }).partial(),
  responses: { 200: client },
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  change: ({ params, body }, ifMatch) => ({
    text: `
with r as (
    update public.clients as c
    set (company_name, contact_email, address) = (
        select n.company_name, n.contact_email, n.address
        from jsonb_populate_record(c, $2::jsonb) as n
    )
    where c.id = $1 and ($3::text[] is null or app.etag(c.updated_at) = any ($3))
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
    values: [params.clientId, JSON.stringify(body), ifMatch],
  }),
});

export const deleteClient = endpoint({
  ...common,
  method: 'delete',
  path: '/api/clients/{clientId}',
  summary:
    'Delete a client with its sites, parcels, claims and documents; a conflict once an invoice was issued',
  roles: ['ADMIN'],
  params,
  responses: { 204: null },
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.clients as c
where c.id = $1 and ($2::text[] is null or app.etag(c.updated_at) = any ($2))`,
    values: [params.clientId, ifMatch],
  }),
});
