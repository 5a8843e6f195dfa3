import { endpoint } from '../http/endpoint.ts';
import { MANAGER_ROLES, ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { importEndpoint } from '../records/import/import.ts';
import { reclamation, reclamations } from './reclamation-record.ts';

const constraints = {
  reclamations_site_of_client: { site_id: rule('of_another_client') },
  reclamations_assignee_has_client: { assignee_id: rule('not_assignable') },
  reclamations_granted_amount_range: { granted_amount: rule('above_amount') },
} as const;

const { commonOptions, list, read, moves, changes, create, change, changeMany, remove } = endpointsOf(reclamation, {
  tag: 'Reclamations',
  path: '/api/reclamations',
  constraints,
});

/** As the trigger reclamations_check_new_once compares claims. */
function identifyClaim(body: Readonly<Record<string, unknown>>): string | undefined {
  const { site_id, claim_type, tax_year, commune_code, notice_reference } = body;
  const notice = typeof notice_reference === 'string' ? notice_reference.replaceAll(/\s/g, '').toLowerCase() : '';
  if (tax_year == null || commune_code == null || notice === '') return undefined;
  return JSON.stringify([site_id, claim_type, tax_year, commune_code, notice]);
}

export const clientReclamationsEndpoint = endpoint({
  ...commonOptions,
  resource: 'clients',
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/clients/{clientId}/reclamations',
  summary: 'List the claims of a client',
  roles: ROLES,
  query: reclamations.query.omit({ client_id: true }),
  list: ({ params, query }, caller) => reclamations.statement({ ...query, client_id: [params.clientId] }, caller),
});

export const reclamationEndpoints = [
  list(reclamations, { summary: 'List the claims of the caller’s clients', roles: ROLES }),
  create({ summary: 'Create a claim with status DRAFT for a site of the client', roles: SPECIALIST_ROLES }),
  endpoint({
    ...commonOptions,
    ...importEndpoint({
      of: reclamation,
      path: '/api/reclamations',
      parents: { client_id: { table: 'clients', client: 'id' }, site_id: { table: 'sites', client: 'client_id' } },
      constraints,
      identity: { of: identifyClaim, field: 'notice_reference', rule: rule('given_twice.claim') },
    }),
    references: { client_id: 'clients', site_id: 'sites' },
    constraints,
    method: 'post',
    path: '/api/reclamations/import',
    operationId: 'importReclamations',
    summary: 'Create many claims with status DRAFT at once from CSV or JSON; all or none',
    roles: SPECIALIST_ROLES,
  }),
  changeMany({ summary: 'Update many claims at once, including status moves; all or none', roles: SPECIALIST_ROLES }),
  read({ summary: 'Get a claim', roles: ROLES }),
  moves('a claim', ROLES),
  changes(SPECIALIST_ROLES),
  change({ summary: 'Update the given fields of a claim, or move it to another status', roles: SPECIALIST_ROLES }),
  remove({
    summary:
      'Delete a claim with its documents and history; only an ADMIN can delete a submitted claim, and a claim on an issued invoice cannot be deleted',
    roles: MANAGER_ROLES,
  }),
];
