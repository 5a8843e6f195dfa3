import { randomUUID } from 'node:crypto';
import { KINDS, rowOf } from './rows.ts';
import type { Tenant } from './rows.ts';

export type { Tenant } from './rows.ts';

/** A tenant that does not exist yet. */
export function newTenant(): Tenant {
  return Object.fromEntries(KINDS.map((kind) => [kind, randomUUID()])) as Tenant;
}

/** The SQL that makes its client, with a site and a claim. */
export function tenantSql(tenant: Tenant, name: string): string {
  return [
    rowOf('clients', tenant, { company_name: name }),
    rowOf('sites', tenant),
    rowOf('reclamations', tenant),
  ].join('\n');
}

/** The SQL that adds a record of everything else, and a user who has access to the client. */
export function furnitureSql(tenant: Tenant): string {
  const { biller, newcomer } = tenant;
  return [
    rowOf('cadastres', tenant),
    rowOf('reclamation_history', tenant),
    rowOf('documents', tenant),
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
