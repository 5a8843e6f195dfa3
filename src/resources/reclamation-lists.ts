import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';
import { CLAIM_TYPES, columns, common, reclamation, STATUSES } from './reclamation-record.ts';

const filters = {
  site_id: field.uuid.optional(),
  status: field.oneOf(...STATUSES).optional(),
  claim_type: field.oneOf(...CLAIM_TYPES).optional(),
  q: field.search,
};

const page = {
  ...field.page,
  ...field.created,
  ...field.updated,
  sort: field.sortBy('created_at', 'updated_at', 'amount', 'status'),
};

const shape = {
  columns,
  from: 'public.reclamations as r',
  client: 'r.client_id',
  sorts: { created_at: 'timestamptz', updated_at: 'timestamptz', amount: 'numeric', status: 'text' },
  filters: {
    ...CREATED,
    ...UPDATED,
    client_id: 'r.client_id = $',
    site_id: 'r.site_id = $',
    status: 'r.status = $',
    claim_type: 'r.claim_type = $',
    q: '(r.notice_reference ilike $ or r.commune_code ilike $ or r.grounds ilike $)',
  },
  selective: ['site_id'],
};

export const listReclamations = endpoint({
  ...common,
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/reclamations',
  summary: 'List the claims of the caller’s clients',
  roles: ROLES,
  query: z.strictObject({ ...page, client_id: field.uuid.optional(), ...filters }),
  responses: { 200: z.array(reclamation) },
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) => listOf(shape, { ...query, q: containing(query.q) }, caller),
});

export const listReclamationsOfClient = endpoint({
  tag: 'Reclamations',
  resource: 'clients',
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/clients/{clientId}/reclamations',
  summary: 'List the claims of a client',
  roles: ROLES,
  params: z.strictObject({ clientId: field.uuid }),
  query: z.strictObject({ ...page, ...filters }),
  responses: { 200: z.array(reclamation) },
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  list: ({ params, query }, caller) =>
    listOf(shape, { ...query, client_id: params.clientId, q: containing(query.q) }, caller),
});
