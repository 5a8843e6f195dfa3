import { randomUUID } from 'node:crypto';
import { KINDS, rowOf } from './rows.ts';
import type { Tenant } from './rows.ts';

export type { Tenant } from './rows.ts';

/** Creates random ids for a tenant that is not stored yet. */
export function newTenant(): Tenant {
  return Object.fromEntries(KINDS.map((kind) => [kind, randomUUID()])) as Tenant;
}

/** Builds the SQL that stores a tenant’s client with a site and a claim. */
export function tenantSql(tenant: Tenant, name: string): string {
  return [rowOf('clients', tenant, { company_name: name }), rowOf('sites', tenant), rowOf('reclamations', tenant)].join(
    '\n',
  );
}

/** Builds the SQL that stores the other records of a tenant, and a user of the tenant’s client. */
export function furnitureSql(tenant: Tenant): string {
  const { biller, newcomer } = tenant;
  return [
    rowOf('cadastres', tenant),
    rowOf('reclamation_history', tenant),
    rowOf('documents', tenant),
    rowOf('notes', tenant),
    rowOf('partners', tenant),
    rowOf('partners', tenant, { id: biller, name: 'Cabinet Blanc' }),
    rowOf('client_partners', tenant),
    rowOf('client_partners', tenant, { partner_id: biller }),
    rowOf('factures', tenant),
    rowOf('partner_invoices', tenant),
    rowOf('users', tenant),
    rowOf('users', tenant, { id: newcomer, name: 'Bob', role: 'CLIENT', client_access: [] }),
    rowOf('audit_logs', tenant),
    rowOf('identity_changes', tenant),
  ].join('\n');
}

/** The SQL conditions that find the rows of a test tenant, one for each table. */
export const FOREIGN_ROWS: Readonly<Record<string, (tenant: Tenant) => string>> = {
  'public.clients': ({ clients }) => `r.id = '${clients}'`,
  'public.sites': ({ clients }) => `r.client_id = '${clients}'`,
  'public.cadastres': ({ sites }) => `r.site_id = '${sites}'`,
  'public.reclamations': ({ clients }) => `r.client_id = '${clients}'`,
  'public.reclamation_history': ({ clients }) => `r.client_id = '${clients}'`,
  'public.documents': ({ reclamations }) => `r.reclamation_id = '${reclamations}'`,
  'public.notes': ({ clients }) => `r.client_id = '${clients}'`,
  'public.partners': ({ partners, biller }) => `r.id in ('${partners}', '${biller}')`,
  'public.client_partners': ({ clients }) => `r.client_id = '${clients}'`,
  'public.factures': ({ clients }) => `r.client_id = '${clients}'`,
  'public.partner_invoices': ({ clients }) => `r.client_id = '${clients}'`,
  'public.users': ({ users }) => `r.id = '${users}'`,
  'public.identity_changes': ({ identity_changes }) => `r.id = '${identity_changes}'`,
  'reporting.grants': ({ clients }) => `r.client_id = '${clients}'`,
};

/** The columns of a user that a manager of another tenant is allowed to change: the list of clients and its dates. */
const OF_OTHERS = `'{client_access,access_digest,access_changed_at,updated_at}'::text[]`;

/** Builds the SQL that reads, as JSON, all values of a tenant that no other tenant can change. */
export function foreignRowsSql(tenant: Tenant): string {
  return Object.entries(FOREIGN_ROWS)
    .map(([table, condition]) => {
      const row = table === 'public.users' ? `to_jsonb(r) - ${OF_OTHERS}` : 'to_jsonb(r)';
      return `select '${table}' as "table", ${row} as row from ${table} as r where ${condition(tenant)}`;
    })
    .join(' union all ');
}
