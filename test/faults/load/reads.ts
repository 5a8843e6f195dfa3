import { ROLES } from '../../../src/identity/caller.ts';
import { foreignCount } from './foreign.ts';
import type { Operation, Situation } from './operations.ts';
import { anyOf } from './random.ts';
import { rowOf, rowsOf } from './rows.ts';
import type { Kept, Row } from './sight.ts';

const noList = (body: Buffer): string => `no list: ${body.toString().slice(0, 200)}`;
const list = (body: Buffer): string | null => (rowsOf(body) === undefined ? noList(body) : null);

/** Checks an answer that lists the newest records of a table, at most `limit` of them. */
function pageOf(table: Kept, limit: number, { own }: Situation): (body: Buffer) => string | null {
  const view = own.sight.view();
  return (body) => {
    const rows = rowsOf(body);
    return rows === undefined ? noList(body) : view.page(table, rows, limit);
  };
}

function recordOf(id: string, { own }: Situation): (body: Buffer) => string | null {
  const view = own.sight.view();
  return (body) => {
    const row = rowOf(body);
    return row.id === id ? view.record(row) : 'another record';
  };
}

function counted(body: Buffer): number {
  const rows = (rowsOf(body) ?? []) as readonly (Row & { readonly count: number })[];
  return rows.reduce((sum, { count }) => sum + count, 0);
}

const [SITES, CLAIMS] = [50, 20];

export const READS: readonly Operation[] = [
  {
    ...{ name: 'read clients', kind: 'read', weight: 8, roles: ROLES },
    prepare: () => ({ line: 'GET /api/clients', expects: [200], answered: list }),
  },
  {
    ...{ name: 'read sites', kind: 'read', weight: 6, roles: ROLES },
    prepare: (situation) => ({
      line: `GET /api/sites?limit=${SITES}`,
      expects: [200],
      answered: pageOf('sites', SITES, situation),
    }),
  },
  {
    ...{ name: 'read claims', kind: 'read', weight: 6, roles: ROLES },
    prepare: (situation) => ({
      line: `GET /api/clients/${situation.person.tenant.client}/reclamations?limit=${CLAIMS}`,
      expects: [200],
      answered: pageOf('reclamations', CLAIMS, situation),
    }),
  },
  {
    ...{ name: 'read site', kind: 'read', weight: 4, roles: ROLES },
    prepare: (situation) => {
      const { person, own, random } = situation;
      const id = anyOf(random, own.sites) ?? person.tenant.site;
      return { line: `GET /api/sites/${id}`, expects: [200], answered: recordOf(id, situation) };
    },
  },
  {
    ...{ name: 'read claim', kind: 'read', weight: 3, roles: ROLES },
    prepare: (situation) => {
      const claim = anyOf(situation.random, situation.own.claims);
      if (claim === undefined) return undefined;
      return {
        line: `GET /api/reclamations/${claim.id}`,
        expects: [200],
        answered: recordOf(claim.id, situation),
      };
    },
  },
  {
    ...{ name: 'count claims', kind: 'read', weight: 3, roles: ROLES },
    prepare: ({ own, tally }) => {
      const view = own.sight.view();
      return {
        line: 'GET /api/reclamations/summary',
        expects: [200],
        answered: (body) => list(body) ?? view.countOfClaims(counted(body)),
        // The answer is allowed to count claims that were created after the request to count claims was sent.
        foreign: (body) => foreignCount(counted(body), tally.claims),
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
        answered: (body) => (body.toString() === upload.content ? null : `another content of ${body.length} bytes`),
      };
    },
  },
  {
    // A token with a new signing key is allowed to get 401 while the service cannot fetch that key from the identity
    // provider.
    ...{ name: 'read with a new key', kind: 'refuse', weight: 6, roles: ROLES },
    prepare: ({ newToken }) =>
      newToken === undefined ? undefined : { line: 'GET /api/auth/profile', token: newToken, expects: [200, 401] },
  },
];
