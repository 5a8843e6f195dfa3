import { randomUUID } from 'node:crypto';

/** What a tenant has one record of, by table; a biller is a partner with bills, a newcomer a user without any client. */
const KINDS = [
  'clients',
  'sites',
  'cadastres',
  'reclamations',
  'reclamation_history',
  'documents',
  'partners',
  'biller',
  'factures',
  'partner_invoices',
  'users',
  'newcomer',
  'audit_logs',
  'identity_changes',
] as const;

/** The id of one record of each table, all of one client. */
export type Tenant = Readonly<Record<(typeof KINDS)[number], string>>;

/** A tenant that does not exist yet. */
export function newTenant(): Tenant {
  return Object.fromEntries(KINDS.map((kind) => [kind, randomUUID()])) as Tenant;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The SQL that makes its client, with a site and a claim. */
export function tenantSql({ clients, sites, reclamations }: Tenant, name: string): string {
  return `
    insert into public.clients (id, company_name, contact_email) values ('${clients}', ${quoted(name)}, 'a@b.example');
    insert into public.sites (id, client_id, site_name) values ('${sites}', '${clients}', 'Siège');
    insert into public.reclamations (id, client_id, site_id, claim_type, amount) values ('${reclamations}', '${clients}', '${sites}', 'TF', 1200.5);`;
}

/** The SQL that adds a record of everything else, and a user who has access to the client. */
export function furnitureSql(tenant: Tenant): string {
  const id = (kind: keyof Tenant): string => quoted(tenant[kind]);
  return `
    insert into public.cadastres (id, site_id, commune_code, section, number) values (${id('cadastres')}, ${id('sites')}, '75056', 'AB', '0001');
    insert into public.reclamation_history (id, reclamation_id, client_id, from_status, to_status, actor) values (${id('reclamation_history')}, ${id('reclamations')}, ${id('clients')}, 'DRAFT', 'DRAFT', 'fixture');
    insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type) values (${id('documents')}, ${id('reclamations')}, 'avis.txt', ${id('documents')}, 4, 'text/plain');
    insert into public.partners (id, name) values (${id('partners')}, 'Cabinet Dubois'), (${id('biller')}, 'Cabinet Blanc');
    insert into public.client_partners (client_id, partner_id) values (${id('clients')}, ${id('partners')}), (${id('clients')}, ${id('biller')});
    insert into public.factures (id, client_id, amount_excl_tax) values (${id('factures')}, ${id('clients')}, 10);
    insert into public.partner_invoices (id, partner_id, client_id, number, amount_excl_tax) values (${id('partner_invoices')}, ${id('biller')}, ${id('clients')}, 'F-1', 10);
    insert into public.users (id, email, password_hash, name, role, client_access) values (${id('users')}, '${tenant.users}@b.example', '!', 'Ada', 'TAX_SPECIALIST', array[${id('clients')}]::uuid[]);
    insert into public.users (id, email, password_hash, name, role) values (${id('newcomer')}, '${tenant.newcomer}@b.example', '!', 'Bob', 'CLIENT');
    insert into public.audit_logs (id, action, resource_type, client_context, success, actor) values (${id('audit_logs')}, 'GET /x', 'clients', ${id('clients')}, false, 'fixture');
    insert into public.identity_changes (id, user_id, actor, role, client_access, is_active, ends_tokens) values (${id('identity_changes')}, ${id('users')}, 'fixture', 'TAX_SPECIALIST', array[${id('clients')}]::uuid[], true, false);`;
}

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
