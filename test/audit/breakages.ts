import { listed } from '../support/listed.ts';
import { rowOf } from '../support/rows.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';

const [tenant, other] = [newTenant(), newTenant()];
/** Two clients, and of one of them a site, a claim and a document. */
const CLAIM = [rowOf('clients', other), tenantSql(tenant, 'A'), rowOf('documents', tenant)].join('\n');

/** What is wrong, and its mending where that is more than to take it back. */
export const BREAKAGES = listed('audit/breakages.sql', {
  CLAIM,
  CLIENT: tenant.clients,
  OTHER: other.clients,
}).map(({ head: [finding = '', what = '', object = ''], sql, parts }) => ({
  ...{ finding, what, object },
  bad: sql,
  mend: parts['mend']?.sql,
}));
