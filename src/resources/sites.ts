import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';

const site = z
  .strictObject({
    id: z.guid(),
    client_id: z.guid(),
    site_name: z.string().max(255),
    address: z.string().nullable(),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Site' });

const writable = {
  site_name: field.name(255),
  address: field.prose.nullable().optional(),
};

const columns = `
    r.id,
    r.client_id,
    r.site_name,
    r.address,
    r.created_at,
    r.updated_at`;

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Sites', resource: 'sites' } as const;

export const listSites = endpoint({
  ...common,
  method: 'get',
  path: '/api/sites',
  summary: 'List the sites of the caller’s clients',
  roles: ROLES,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'site_name'),
    client_id: field.uuid.optional(),
    q: field.search,
  }),
  responses: { 200: z.array(site) },
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.sites as r',
        client: 'r.client_id',
        sorts: { created_at: 'timestamptz', updated_at: 'timestamptz', site_name: 'text' },
        filters: {
          ...CREATED,
          ...UPDATED,
          client_id: 'r.client_id = $',
          q: '(r.site_name ilike $ or r.address ilike $)',
        },
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readSite = endpoint({
  ...common,
  method: 'get',
  path: '/api/sites/{id}',
  summary: 'Read a site',
  roles: ROLES,
  params,
  responses: { 200: site },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.sites as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const createSite = endpoint({
  ...common,
  references: { client_id: 'clients' },
  method: 'post',
  path: '/api/sites',
  summary: 'Create a site of a client',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  body: z.strictObject({ ...field.readOnly, client_id: field.uuid, ...writable }),
  responses: { 201: site },
  client: ({ body }) => body.client_id,
  create: ({ body }, id) => ({
    text: `
with r as (
    insert into public.sites (id, client_id, site_name, address)
    values ($1, $2, $3, $4)
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
    values: [id, body.client_id, body.site_name, body.address ?? null],
  }),
});

export const changeSite = endpoint({
  ...common,
  method: 'put',
  path: '/api/sites/{id}',
  summary: 'Change the given fields of a site',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  params,
  body: z.strictObject({ ...field.readOnly, client_id: field.uuid, ...writable }).partial(),
  responses: { 200: site },
  client: ({ body }) => body.client_id,
  id: ({ params }) => params.id,
  // A record's client never changes: one that is sent back must be the one that it has.
  change: ({ params, body }, ifMatch) => ({
    text: `
with r as (
    update public.sites as s
    set (site_name, address) = (
        select n.site_name, n.address
        from jsonb_populate_record(s, $2::jsonb) as n
    )
    where s.id = $1
        and ($3::text[] is null or app.etag(s.updated_at) = any ($3))
        and ($4::uuid is null or s.client_id = $4)
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
    values: [params.id, JSON.stringify(body), ifMatch, body.client_id ?? null],
  }),
});

export const deleteSite = endpoint({
  ...common,
  method: 'delete',
  path: '/api/sites/{id}',
  summary: 'Delete a site with its parcels, claims and documents',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.sites as s
where s.id = $1 and ($2::text[] is null or app.etag(s.updated_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
