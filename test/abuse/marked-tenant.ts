import { furnitureSql, tenantSql } from '../support/tenant.ts';
import type { Tenant } from '../support/tenant.ts';

/**
 * Words that occur in the texts of a test’s tenant. The function markedSql adds a random text after each of them. An
 * answer to another tenant that contains the random text is a leak.
 */
const TEXTS = ['Siège', 'avis.txt', 'Cabinet Dubois', 'Cabinet Blanc', 'F-1', 'Ada', 'Bob', 'fixture', 'GET /x'];

export const contentOf = (mark: string): string => `Avis ${mark}`;

/** Returns SQL that creates a tenant with a record in each table. Each text of the tenant has the random mark. */
export function markedSql(tenant: Tenant, mark: string): string {
  const sql = tenantSql(tenant, `Client ${mark}`) + furnitureSql(tenant);
  const marked = TEXTS.reduce((text, word) => text.replaceAll(`'${word}'`, `'${word} ${mark}'`), sql);
  return `${marked.replaceAll('@b.example', `@${mark}.example`)}
    update public.users set subject = 'idp|${mark}' where id = '${tenant.users}';
    update public.documents set file_size = ${Buffer.byteLength(contentOf(mark))} where id = '${tenant.documents}';
    -- The user's change of rights counts as delivered, so that the service does not write its row during an attack.
    update public.identity_changes set delivered_at = created_at where id = '${tenant.identity_changes}';
    update public.clients set address = 'Rue ${mark}' where id = '${tenant.clients}';
    update public.sites set address = 'Quai ${mark}' where id = '${tenant.sites}';
    update public.reclamations set grounds = 'Motif ${mark}' where id = '${tenant.reclamations}';`;
}
