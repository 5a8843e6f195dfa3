import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { page, uuid } from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';

const client = z
  .strictObject({
    id: z.guid(),
    company_name: z.string().max(255),
    nom: z.string().max(255).meta({ description: 'The same text as company_name.', readOnly: true }),
    contact_email: z.string().max(255),
    address: z.string().nullable(),
    created_at: z.iso.datetime({ offset: true }),
    updated_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Client' });

const columns = `
    c.id,
    c.company_name,
    c.company_name as nom,
    c.contact_email,
    c.address,
    c.created_at,
    c.updated_at`;

export const listClients = endpoint({
  method: 'get',
  path: '/api/clients',
  summary: 'List the clients that the caller has access to, newest first',
  tag: 'Clients',
  resource: 'clients',
  roles: ROLES,
  query: z.strictObject({ ...page }),
  responses: { 200: z.array(client) },
  list: ({ query }) => ({
    text: `
select to_json(r)::text
from (
    select ${columns}
    from public.clients c
    order by c.created_at desc, c.id desc
    limit $1 offset $2
) r`,
    values: [query.limit, query.offset],
  }),
});

export const readClient = endpoint({
  method: 'get',
  path: '/api/clients/{clientId}',
  summary: 'Read a client',
  tag: 'Clients',
  resource: 'clients',
  roles: ROLES,
  params: z.strictObject({ clientId: uuid }),
  responses: { 200: client },
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  record: ({ params }) => ({
    text: `
select to_json(r)::text
from (
    select ${columns}
    from public.clients c
    where c.id = $1
) r`,
    values: [params.clientId],
  }),
});
