import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { filterByAny, filterBySearchText } from '../records/filters.ts';
import { importEndpoint } from '../records/import/import.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';

export const site = record(
  'Site',
  'sites',
  {
    id: column.id,
    client_id: column.reference('client', client.label, column.fixedParentId),
    site_name: column.writable(column.text(255), field.nonBlankText(255)),
    address: column.optional(column.text(), field.longText),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: '51000000-0000-4000-8000-000000000001',
        client_id: client.exampleId,
        site_name: 'Entrepôt de Saint-Priest',
        address: '4 rue du Lyonnais, 69800 Saint-Priest',
        created_at: '2024-01-15T09:10:00.000Z',
      },
      creation: {
        client_id: client.exampleId,
        site_name: 'Entrepôt de Vénissieux',
        address: '30 boulevard Irène Joliot-Curie, 69200 Vénissieux',
      },
      change: { site_name: 'Entrepôt de Saint-Priest, halle A' },
    },
    label: ['site_name'],
    hasDocuments: true,
  },
);

const sites = listOf({
  of: site,
  client: 'r.client_id',
  newest: 'created_at',
  filters: { client_id: filterByAny(field.uuid, 'r.client_id = $'), q: filterBySearchText('site_name', 'address') },
});

const { commonOptions, list, read, changes, create, change, remove } = endpointsOf(site, {
  tag: 'Sites',
  path: '/api/sites',
});

export const siteEndpoints = [
  list(sites, { summary: 'List the sites of the caller’s clients', roles: ROLES }),
  create({ summary: 'Create a site of a client', roles: SPECIALIST_ROLES }),
  endpoint({
    ...commonOptions,
    ...importEndpoint({ of: site, path: '/api/sites', parents: { client_id: { table: 'clients', client: 'id' } } }),
    references: { client_id: 'clients' },
    method: 'post',
    path: '/api/sites/import',
    operationId: 'importSites',
    summary: 'Create many sites at once from CSV or JSON; all or none',
    roles: SPECIALIST_ROLES,
  }),
  read({ summary: 'Get a site', roles: ROLES }),
  changes(SPECIALIST_ROLES),
  change({ summary: 'Update the given fields of a site', roles: SPECIALIST_ROLES }),
  remove({ summary: 'Delete a site with its parcels, claims and documents', roles: MANAGER_ROLES }),
];
