import { randomUUID } from 'node:crypto';
import { createRecord } from '../http/creation.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterBySearchText, filterByPartner } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { isSiren } from './business-numbers.ts';

export const client = record(
  'Client',
  'clients',
  {
    id: column.id,
    company_name: column.writable(column.text(255), field.nonBlankText(255)),
    nom: {
      ...column.readOnlyWithDescription(column.text(255), 'The same text as company_name.', 'r.company_name'),
      onCreate: field.text(255).optional(),
    },
    contact_email: column.writable(column.text(255), field.contactEmail),
    address: column.optional(column.text(), field.longText),
    siren: column.optional(
      column.text(9),
      field
        .code(rule('not_a_siren'))
        .regex(/^[0-9]{9}$/, { error: rule('not_a_siren'), abort: true })
        .refine(isSiren, rule('not_a_siren.check')),
    ),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'c1000000-0000-4000-8000-000000000001',
        company_name: 'Logistique du Rhône SAS',
        nom: 'Logistique du Rhône SAS',
        contact_email: 'fiscalite@logistique-rhone.example',
        address: '12 rue des Docks, 69009 Lyon',
        created_at: '2024-01-15T09:00:00.000Z',
      },
      creation: {
        company_name: 'Brasserie du Vieux-Port SARL',
        contact_email: 'compta@brasserie-vieux-port.example',
        address: '5 quai du Port, 13002 Marseille',
      },
      change: { address: '14 rue des Docks, 69009 Lyon' },
    },
    label: ['company_name'],
    hasDocuments: true,
  },
);

const clients = listOf({
  of: client,
  isClient: true,
  newest: 'created_at',
  filters: { partner_id: filterByPartner('r.id'), q: filterBySearchText('company_name', 'contact_email', 'address') },
});

const { commonOptions, list, read, changes, change, remove } = endpointsOf(client, {
  tag: 'Clients',
  path: '/api/clients',
  id: 'clientId',
});

export const clientEndpoints = [
  list(clients, { summary: 'List the clients that the caller has access to', roles: ROLES }),
  // The user who creates a client gets access to it at once. The first statement locks the creator's row, before an
  // audit record that refers to the row can lock it.
  endpoint({
    ...commonOptions,
    method: 'post',
    path: '/api/clients',
    summary: 'Create a client',
    roles: MANAGER_ROLES,
    body: client.newBody
      .refine(({ company_name, nom = company_name }) => nom === company_name, {
        path: ['nom'],
        error: rule('not_the_same', { field: 'company_name' }),
      })
      .meta({ ...client.newBody.meta() }),
    responses: { 201: client },
    handle: async ({ body }, request) => {
      const id = randomUUID();
      const { issuedAt, accessDigest } = request.caller;
      const gain = { text: 'select app.gain_client($1, to_timestamp($2), $3)', values: [id, issuedAt, accessDigest] };
      return createRecord(request.within(id), {
        of: client,
        id,
        location: `/api/clients/${id}`,
        make: [gain, client.insertion({ ...body, id })],
      });
    },
  }),
  read({ summary: 'Get a client', roles: ROLES }),
  changes(SPECIALIST_ROLES),
  change({ summary: 'Update the given fields of a client', roles: MANAGER_ROLES }),
  remove({
    summary:
      'Delete a client with its sites, parcels, claims and documents; 409 if it has an issued invoice or a validated bill',
    roles: ['ADMIN'],
    heldBy: ({ params }) => ({
      invoices: {
        key: 'in_use.invoices',
        count: {
          text: `select count(*) from public.factures as r where r.client_id = $1 and r.status <> 'DRAFT'`,
          values: [params['clientId'] ?? ''],
        },
      },
      partner_invoices: {
        key: 'in_use.kept_bills',
        count: {
          text: `select count(*) from public.partner_invoices as r where r.client_id = $1 and r.status <> 'RECEIVED'`,
          values: [params['clientId'] ?? ''],
        },
      },
    }),
  }),
];
