import { ROLES } from '../../../src/identity/caller.ts';
import type { Operation } from './operations.ts';
import { anyOf } from './random.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

/**
 * Requests that must get an error during a load test: some come from a caller without a valid token or without the
 * right, and others ask for something wrong.
 */
export const REFUSALS: readonly Operation[] = [
  {
    ...{ name: 'ask without a token', kind: 'refuse', weight: 3, roles: ROLES },
    prepare: () => ({ line: 'GET /api/clients', token: null, expects: [401] }),
  },
  {
    ...{ name: 'ask with a bad token', kind: 'refuse', weight: 2, roles: ROLES },
    prepare: ({ person: { token } }) => ({
      line: 'GET /api/sites',
      token: `${token.slice(0, -8)}AAAAAAAA`,
      expects: [401],
    }),
  },
  {
    ...{ name: 'create in the wrong role', kind: 'refuse', weight: 2, roles: ['CLIENT'] },
    prepare: ({ person: { tenant }, marker }) => ({
      line: 'POST /api/sites',
      body: { client_id: tenant.client, site_name: marker },
      expects: [403],
    }),
  },
  {
    ...{ name: 'read a foreign client', kind: 'refuse', weight: 3, roles: ROLES },
    prepare: ({ others, random }) => {
      const other = anyOf(random, others);
      return other && { line: `GET /api/clients/${other.client}/reclamations`, expects: [403] };
    },
  },
  {
    // This request names a record of another tenant. Its path does not name the tenant, so only the database can find
    // out whose record it is.
    ...{ name: 'read a foreign record', kind: 'refuse', weight: 3, roles: ROLES },
    prepare: ({ others, random }) => {
      const other = anyOf(random, others);
      return other && { line: `GET /api/sites/${other.site}`, expects: [403] };
    },
  },
  {
    ...{ name: 'read a missing record', kind: 'read', weight: 1, roles: ROLES },
    prepare: () => ({ line: `GET /api/sites/${NOBODY}`, expects: [404] }),
  },
  {
    ...{
      name: 'create without a name',
      kind: 'create',
      table: 'sites',
      weight: 1,
      roles: ['ACCOUNT_MANAGER'],
    },
    prepare: ({ person: { tenant }, marker }) => ({
      line: 'POST /api/sites',
      body: { client_id: tenant.client, address: marker },
      marker,
      expects: [400],
    }),
  },
];
