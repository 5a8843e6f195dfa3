import { furnitureSql, tenantSql } from '../support/tenant.ts';
import type { Tenant } from '../support/tenant.ts';

/** What the fixture writes into texts of a tenant. */
const TEXTS = ['Siège', 'avis.txt', 'Cabinet Dubois', 'Cabinet Blanc', 'F-1', 'Ada', 'Bob', 'fixture', 'GET /x'];

/** What stands in its document. */
export const contentOf = (mark: string): string => `Avis ${mark}`;

/** The SQL that makes a tenant with a record of everything, whose every text bears the mark. */
export function markedSql(tenant: Tenant, mark: string): string {
  const sql = tenantSql(tenant, `Client ${mark}`) + furnitureSql(tenant);
  const marked = TEXTS.reduce((text, word) => text.replaceAll(`'${word}'`, `'${word} ${mark}'`), sql);
  return `${marked.replaceAll('@b.example', `@${mark}.example`)}
    update public.users set subject = 'idp|${mark}' where id = '${tenant.users}';
    update public.documents set file_size = ${Buffer.byteLength(contentOf(mark))} where id = '${tenant.documents}';
    -- The provider knows it: the service's own delivery changes nothing of it.
    update public.identity_changes set delivered_at = created_at where id = '${tenant.identity_changes}';
    update public.clients set address = 'Rue ${mark}' where id = '${tenant.clients}';
    update public.sites set address = 'Quai ${mark}' where id = '${tenant.sites}';
    update public.reclamations set grounds = 'Motif ${mark}' where id = '${tenant.reclamations}';`;
}
