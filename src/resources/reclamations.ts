import { endpoint } from '../http/endpoint.ts';
import { atLeast, ROLES } from '../identity/caller.ts';
import { importing } from '../records/import/import.ts';
import { parentFirst } from '../records/statements.ts';
import { common, reclamation } from './reclamation-record.ts';

const written = {
  ...common,
  references: { client_id: 'clients', site_id: 'sites' },
  constraints: {
    reclamations_site_of_client: { site_id: 'must be a record of the same client' },
    reclamations_assignee_has_client: { assignee_id: 'must be an active user who has the client' },
    reclamations_granted_amount_range: { granted_amount: 'must not exceed amount' },
  },
} as const;

export const readReclamation = endpoint({
  ...common,
  method: 'get',
  path: '/api/reclamations/{id}',
  summary: 'Read a claim',
  roles: ROLES,
  query: reclamation.reading,
  read: ({ params, query }) => reclamation.byId(params.id, query.expand),
});

export const createReclamation = endpoint({
  ...written,
  method: 'post',
  path: '/api/reclamations',
  summary: 'Create a claim, as DRAFT, for a site of the same client',
  roles: atLeast('TAX_SPECIALIST'),
  body: reclamation.newBody,
  create: ({ body }, id) => reclamation.insertion({ ...body, id }),
});

export const importReclamations = endpoint({
  ...written,
  ...importing({
    of: reclamation,
    path: '/api/reclamations',
    parents: {
      client_id: { table: 'clients', client: 'id' },
      site_id: { table: 'sites', client: 'client_id' },
    },
    constraints: written.constraints,
  }),
  method: 'post',
  path: '/api/reclamations/import',
  operationId: 'importReclamations',
  summary: 'Create many claims at once, as DRAFT, from a table or an array: all or none',
  roles: atLeast('TAX_SPECIALIST'),
});

export const changeReclamation = endpoint({
  ...written,
  method: 'put',
  path: '/api/reclamations/{id}',
  summary: 'Change the given fields of a claim, or move it to another status',
  roles: atLeast('TAX_SPECIALIST'),
  body: reclamation.changeBody,
  change: ({ params, body }, ifMatch) => [
    ...parentFirst('sites', body.site_id),
    reclamation.change(params.id, body, ifMatch),
  ],
});

export const deleteReclamation = endpoint({
  ...common,
  method: 'delete',
  path: '/api/reclamations/{id}',
  summary: 'Delete a claim with its documents and its history',
  roles: atLeast('ACCOUNT_MANAGER'),
  remove: ({ params }, ifMatch) => reclamation.deletion(params.id, ifMatch),
});
