import { equal } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { GOLDEN_FILE, renderGolden } from '../../src/db/audit/golden.ts';
import { readThrough } from '../../src/db/audit/read.ts';
import type { Check } from './checks.ts';

/** The last of the checks: what no login can notice, because a second lock holds, is noticed here. */
export const goldenChecks: readonly Check[] = [
  {
    title: 'every right is as the golden matrix has it (`npm run db:golden` writes it anew)',
    run: async ({ admin }) => {
      equal(renderGolden(await readThrough(admin)), await readFile(GOLDEN_FILE, 'utf8'));
    },
  },
];
