import { deepEqual, equal } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type DatabaseFact, readDeclaredFacts } from '../../src/admin/audit/declared.ts';
import { readRightsMatrix } from '../../src/admin/audit/read.ts';
import { readServerRelease } from '../../src/admin/audit/state.ts';
import { matrixText } from '../../src/admin/audit/text.ts';
import { GOLDEN_FILE, readFacts } from '../admin/audit/golden.ts';
import type { Check } from './checks.ts';

/**
 * The kinds of rows in audit.state() that describe a right. The bodies of functions and views are missing here, because
 * they grant no right.
 */
const KINDS_OF_RIGHTS = new Set([
  ...['role', 'membership', 'table', 'view', 'policy', 'grant', 'default privileges', 'function', 'trigger'],
]);

/**
 * Compares all rights in the database with db/audit/declared, because the other tests do not notice a lost right if a
 * second right allows the same.
 */
export const goldenChecks: readonly Check[] = [
  {
    title:
      'every role, membership, table, policy, grant and trigger is as in db/audit/declared (`npm run db:golden` writes the file)',
    run: async ({ admin }) => {
      const rightsOf = (facts: readonly DatabaseFact[]): string[] =>
        facts
          .filter(({ kind }) => KINDS_OF_RIGHTS.has(kind))
          .map(({ kind, object, definition }) => `${kind} ${object}: ${definition}`)
          .sort();
      const declared = await readDeclaredFacts(await readServerRelease(admin));
      deepEqual(rightsOf(await readFacts(admin)), rightsOf(declared.facts));
    },
  },
  {
    title: 'the matrix of rights is as in db/audit/matrix.golden (`npm run db:golden` writes the file)',
    run: async ({ admin }) => {
      const golden = await readFile(GOLDEN_FILE, 'utf8');
      equal([...matrixText(await readRightsMatrix(admin)), ''].join('\n'), golden);
    },
  },
  {
    title:
      'audit.state(), the list of all rights and definitions in the database, names every role of audit.house_roles',
    run: async ({ admin }) => {
      const facts = await readFacts(admin);
      const { rows } = await admin.query<{ name: string }>('select name::text from audit.house_roles');
      const listedRoles = facts.filter(({ kind }) => kind === 'role').map(({ object }) => object);
      deepEqual(listedRoles.toSorted(), rows.map(({ name }) => name).toSorted());
    },
  },
];
