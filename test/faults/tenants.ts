import { ROLES } from '../../src/identity/caller.ts';
import type { TestIdentity } from '../support/identity.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import type { LoadTenant, Person } from './load/people.ts';

/** The tenants of every world. */
export const WORDS = ['Boulangerie-Martin', 'Garage-Dupont', 'Transports-Legrand'] as const;

/** A tenant, and the SQL that makes it. */
export function loadTenant(word: string): { tenant: LoadTenant; sql: string } {
  const tenant = newTenant();
  const { clients: client, sites: site, reclamations: claim } = tenant;
  return { tenant: { word, client, site, claim }, sql: tenantSql(tenant, word) };
}

/** Of each tenant somebody in each role; their tokens outlive the longest soak, and are good before and after now. */
export async function peopleOf(tenants: readonly LoadTenant[], identity: TestIdentity): Promise<Person[]> {
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now - 12 * 3600, exp: now + 12 * 3600 };
  const people = tenants.flatMap((tenant) =>
    ROLES.map(async (role) => {
      const subject = `idp|${tenant.word}|${role}`;
      const claims = { sub: subject, role, client_access: [tenant.client], ...times };
      return { subject, role, tenant, token: await identity.token(claims) };
    }),
  );
  return Promise.all(people);
}
