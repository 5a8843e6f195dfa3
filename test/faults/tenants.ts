import { ROLES } from '../../src/identity/caller.ts';
import type { TestIdentity } from '../support/identity.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import type { LoadTenant, Person } from './load/people.ts';

/**
 * Each tenant of a load test has one of these words in all its texts, by which a leak to another tenant is recognised.
 */
export const WORDS = ['Boulangerie-Martin', 'Garage-Dupont', 'Transports-Legrand'] as const;

export function loadTenant(word: string): { tenant: LoadTenant; sql: string } {
  const tenant = newTenant();
  const { clients: client, sites: site, reclamations: claim } = tenant;
  return { tenant: { word, client, site, claim }, sql: tenantSql(tenant, word) };
}

/**
 * Returns one simulated user in each role for each tenant of a load test. Their tokens are valid from 12 hours ago
 * until 12 hours from now.
 */
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
