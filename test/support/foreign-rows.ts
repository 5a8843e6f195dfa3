import type { Tenant } from './tenant.ts';

/** Of each table: which of its rows are a tenant's. */
export const FOREIGN_ROWS: Readonly<Record<string, (tenant: Tenant) => string>> = {
  'public.clients': ({ clients }) => `r.id = '${clients}'`,
  'public.sites': ({ clients }) => `r.client_id = '${clients}'`,
  'public.cadastres': ({ sites }) => `r.site_id = '${sites}'`,
  'public.reclamations': ({ clients }) => `r.client_id = '${clients}'`,
  'public.reclamation_history': ({ clients }) => `r.client_id = '${clients}'`,
  'public.documents': ({ reclamations }) => `r.reclamation_id = '${reclamations}'`,
  'public.partners': ({ partners, biller }) => `r.id in ('${partners}', '${biller}')`,
  'public.client_partners': ({ clients }) => `r.client_id = '${clients}'`,
  'public.factures': ({ clients }) => `r.client_id = '${clients}'`,
  'public.partner_invoices': ({ clients }) => `r.client_id = '${clients}'`,
  'public.users': ({ users }) => `r.id = '${users}'`,
  'public.identity_changes': ({ identity_changes }) => `r.id = '${identity_changes}'`,
  'reporting.grants': ({ clients }) => `r.client_id = '${clients}'`,
};

/** What another tenant's manager may change of a user all the same: their own clients on the list, and its dates. */
const OF_OTHERS = `'{client_access,access_digest,access_changed_at,updated_at}'::text[]`;

/** The SQL that reads everything of a tenant that nobody else can change, as JSON. */
export function foreignRowsSql(tenant: Tenant): string {
  return Object.entries(FOREIGN_ROWS)
    .map(([table, condition]) => {
      const row = table === 'public.users' ? `to_jsonb(r) - ${OF_OTHERS}` : 'to_jsonb(r)';
      return `select '${table}' as "table", ${row} as row from ${table} as r where ${condition(tenant)}`;
    })
    .join(' union all ');
}
