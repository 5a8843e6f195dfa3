import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { amountBetween, between, byAny, byAnyOrNone, containedInSearchText } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { claimType, common, MOST, reclamation, reclamationStatus } from './reclamation-record.ts';

export const reclamations = list({
  of: reclamation,
  client: 'r.client_id',
  isWide: true,
  ofClient: ['claim_deadline', 'response_due_at', 'court_deadline'],
  sorts: ['created_at', 'updated_at', 'amount', 'status'],
  sortsWithNulls: ['tax_year', 'claim_deadline', 'response_due_at', 'court_deadline'],
  filters: {
    client_id: byAny(field.uuid, 'r.client_id = $'),
    site_id: byAny(field.uuid, 'r.site_id = $'),
    status: byAny(reclamationStatus, 'r.status = $'),
    claim_type: byAny(claimType, 'r.claim_type = $'),
    tax_year: byAny(field.wholeNumber(1900, 2200), 'r.tax_year = $'),
    commune_code: byAny(field.communeCode, 'r.commune_code = $'),
    ...between('claim_deadline', field.date, 'r.claim_deadline', 'whose claim_deadline is this day'),
    ...between('response_due', field.moment, 'r.response_due_at', 'whose response_due_at is this time'),
    ...between('court_deadline', field.date, 'r.court_deadline', 'whose court_deadline is this day'),
    ...amountBetween('amount', MOST),
    assignee_id: byAnyOrNone('r.assignee_id', 'Only those that this user works on, or with none nobody.'),
    q: containedInSearchText(
      ['notice_reference', 'commune_code', 'grounds'],
      [
        { key: 'client_id', table: 'clients', place: 'the name of its client' },
        { key: 'site_id', table: 'sites', place: 'the name of its site' },
      ],
    ),
  },
  selective: ['site_id', 'assignee_id'],
  sparse: [
    ...(['q', 'tax_year', 'commune_code', 'amount_from', 'amount_to'] as const),
    ...(['claim_deadline_from', 'claim_deadline_to', 'court_deadline_from', 'court_deadline_to'] as const),
    ...(['response_due_from', 'response_due_to'] as const),
  ],
});

export const listReclamations = endpoint({
  ...common,
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/reclamations',
  summary: 'List the claims of the caller’s clients',
  roles: ROLES,
  query: reclamations.query,
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
  query: reclamations.query.omit({ client_id: true }),
  list: ({ params, query }, caller) =>
    reclamations.statement({ ...query, client_id: [params.clientId] }, caller),
});
