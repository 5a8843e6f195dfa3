import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { by, containedIn, list } from '../records/list.ts';
import { claimType, common, reclamation, reclamationStatus } from './reclamation-record.ts';

export const reclamations = list({
  of: reclamation,
  client: 'r.client_id',
  sorts: ['created_at', 'updated_at', 'amount', 'status'],
  filters: {
    client_id: by(field.uuid, 'r.client_id = $'),
    site_id: by(field.uuid, 'r.site_id = $'),
    status: by(reclamationStatus, 'r.status = $'),
    claim_type: by(claimType, 'r.claim_type = $'),
    assignee_id: by(field.uuid, 'r.assignee_id = $'),
    q: containedIn('r.notice_reference', 'r.commune_code', 'r.grounds'),
  },
  selective: ['site_id', 'assignee_id'],
});

export const listReclamations = endpoint({
  ...common,
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/reclamations',
  summary: 'List the claims of the caller’s clients',
  roles: ROLES,
  query: reclamations.query,
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) => reclamations.statement(query, caller),
});

export const listReclamationsOfClient = endpoint({
  ...common,
  resource: 'clients',
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/clients/{clientId}/reclamations',
  summary: 'List the claims of a client',
  roles: ROLES,
  params: z.strictObject({ clientId: field.uuid }),
  query: reclamations.query.omit({ client_id: true }),
  client: ({ params }) => params.clientId,
  id: ({ params }) => params.clientId,
  list: ({ params, query }, caller) =>
    reclamations.statement({ ...query, client_id: params.clientId }, caller),
});
