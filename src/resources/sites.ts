import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { atLeast, ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { byAny, containedInSearchText } from '../records/filters.ts';
import { importing } from '../records/import/import.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';
import * as examples from './examples.ts';

export const site = record(
  'Site',
  'sites',
  {
    id: column.id,
    client_id: column.naming('client', client.label, column.fixed),
    site_name: column.written(column.text(255), field.name(255)),
    address: column.optional(column.text(), field.prose),
    created_at: column.read(column.time),
    updated_at: column.read(column.time),
  },
  { examples: examples.site, label: ['site_name'], hasDocuments: true },
);

const sites = list({
  of: site,
  client: 'r.client_id',
  sorts: ['created_at', 'updated_at', 'site_name'],
  filters: {
    client_id: byAny(field.uuid, 'r.client_id = $'),
    q: containedInSearchText(['site_name', 'address']),
  },
});

const common = { tag: 'Sites', resource: 'sites', of: site } as const;

export const listSites = endpoint({
  ...common,
  method: 'get',
  path: '/api/sites',
  summary: 'List the sites of the caller’s clients',
  roles: ROLES,
  query: sites.query,
  list: ({ query }, caller) => sites.statement(query, caller),
});

export const readSite = endpoint({
  ...common,
  method: 'get',
  path: '/api/sites/{id}',
  summary: 'Read a site',
  roles: ROLES,
  query: site.reading,
  read: ({ params, query }) => site.byId(params.id, query.expand),
});

export const createSite = endpoint({
  ...common,
  references: { client_id: 'clients' },
  method: 'post',
  path: '/api/sites',
  summary: 'Create a site of a client',
  roles: atLeast('TAX_SPECIALIST'),
  body: site.newBody,
  create: ({ body }, id) => site.insertion({ ...body, id }),
});

export const importSites = endpoint({
  ...common,
  ...importing({
    of: site,
    path: '/api/sites',
    parents: { client_id: { table: 'clients', client: 'id' } },
  }),
  references: { client_id: 'clients' },
  method: 'post',
  path: '/api/sites/import',
  operationId: 'importSites',
  summary: 'Create many sites at once, from a table or an array: all or none',
  roles: atLeast('TAX_SPECIALIST'),
});

export const changeSite = endpoint({
  ...common,
  method: 'put',
  path: '/api/sites/{id}',
  summary: 'Change the given fields of a site',
  roles: atLeast('TAX_SPECIALIST'),
  body: site.changeBody,
  change: ({ params, body }, ifMatch) => site.change(params.id, body, ifMatch),
});

export const deleteSite = endpoint({
  ...common,
  method: 'delete',
  path: '/api/sites/{id}',
  summary: 'Delete a site with its parcels, claims and documents',
  roles: atLeast('ACCOUNT_MANAGER'),
  remove: ({ params }, ifMatch) => site.deletion(params.id, ifMatch),
});
