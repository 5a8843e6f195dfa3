import { ROLES } from '../../../src/identity/caller.ts';
import type { Operation } from './operations.ts';
import { anyOf } from './random.ts';

const parsed = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;
const list = (body: Buffer): string | null =>
  Array.isArray(parsed(body)) ? null : `no list: ${body.toString().slice(0, 200)}`;

export const READS: readonly Operation[] = [
  {
    ...{ name: 'read clients', kind: 'read', weight: 8, roles: ROLES },
    prepare: () => ({ line: 'GET /api/clients', expects: [200], answered: list }),
  },
  {
    ...{ name: 'read sites', kind: 'read', weight: 6, roles: ROLES },
    prepare: () => ({ line: 'GET /api/sites?limit=50', expects: [200], answered: list }),
  },
  {
    ...{ name: 'read claims', kind: 'read', weight: 6, roles: ROLES },
    prepare: ({ person: { tenant } }) => ({
      line: `GET /api/clients/${tenant.client}/reclamations?limit=20`,
      expects: [200],
      answered: list,
    }),
  },
  {
    ...{ name: 'read site', kind: 'read', weight: 4, roles: ROLES },
    prepare: ({ person: { tenant }, own, random }) => {
      const id = anyOf(random, own.sites) ?? tenant.site;
      return {
        line: `GET /api/sites/${id}`,
        expects: [200],
        answered: (body) => {
          const site = parsed(body) as { id?: string; address?: string | null };
          if (site.id !== id) return 'another site';
          const last = own.addresses.get(id);
          return last === undefined || site.address === last ? null : `not the address of before: ${last}`;
        },
      };
    },
  },
  {
    ...{ name: 'read claim', kind: 'read', weight: 3, roles: ROLES },
    prepare: ({ own, random }) => {
      const claim = anyOf(random, own.claims);
      if (claim === undefined) return undefined;
      return {
        line: `GET /api/reclamations/${claim.id}`,
        expects: [200],
        answered: (body) => {
          const { status } = parsed(body) as { status?: string };
          return status === claim.status ? null : `${String(status)}, and not ${claim.status}`;
        },
      };
    },
  },
  {
    ...{ name: 'download', kind: 'read', weight: 4, roles: ROLES },
    prepare: ({ own, random }) => {
      const upload = anyOf(random, own.uploads);
      if (upload === undefined) return undefined;
      return {
        line: `GET /api/documents/${upload.id}/content`,
        expects: [200],
        answered: (body) =>
          body.toString() === upload.content ? null : `another content of ${body.length} bytes`,
      };
    },
  },
  {
    // Where the provider cannot be asked for a new key, a token of it is no better than a bad one.
    ...{ name: 'read with a new key', kind: 'refuse', weight: 6, roles: ROLES },
    prepare: ({ newToken }) =>
      newToken === undefined
        ? undefined
        : { line: 'GET /api/auth/profile', token: newToken, expects: [200, 401] },
  },
];
