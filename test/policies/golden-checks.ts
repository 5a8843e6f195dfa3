import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { readMatrix } from '../../src/db/audit/read.ts';
import { GOLDEN_FILE, readFacts, renderFacts, renderGolden } from '../audit/golden.ts';
import type { Check } from './checks.ts';

/** The last of the checks: what no login can notice, because a second lock holds, is noticed here. */
export const goldenChecks: readonly Check[] = [
  {
    title: 'every fact that decides a right is as in the golden matrix (`npm run db:golden` writes it anew)',
    run: async ({ admin }) => {
      const golden = await readFile(GOLDEN_FILE, 'utf8');
      const facts = renderFacts(await readFacts(admin));
      ok(golden.endsWith(facts), 'the facts differ: run `npm run db:golden` and read the diff');
    },
  },
  {
    title: 'the golden matrix says what the facts come to',
    run: async ({ admin }) => {
      const golden = await readFile(GOLDEN_FILE, 'utf8');
      equal(renderGolden(await readMatrix(admin), await readFacts(admin)), golden);
    },
  },
  {
    title: 'every role of the house is one whose changes the audit sees',
    run: async ({ admin }) => {
      const facts = await readFacts(admin);
      const { rows } = await admin.query<{ name: string }>('select name::text from audit.house_roles');
      const seen = facts.filter(({ kind }) => kind === 'role').map(({ object }) => object);
      deepEqual(seen.toSorted(), rows.map(({ name }) => name).toSorted());
    },
  },
];
