import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isIn, PROOFS, proofOf } from './proofs.ts';
import { allSuites, ROOT } from './support/suites.ts';

/* These tests check that the list of proofs (long tests) in test/proofs.ts names only files that exist. */

const all = Object.entries(PROOFS);

test('each path in test/proofs.ts exists, and each proof (long test) has a suite or a script', () => {
  for (const [name, { suites = [], but = [], again = [], config, script = [] }] of all) {
    const paths = [...suites, ...but, ...again, ...script.slice(0, 1), ...(config === undefined ? [] : [config])];
    expect([name, paths.filter((path) => !existsSync(join(ROOT, path)))]).toEqual([name, []]);
    expect([name, paths.length]).not.toEqual([name, 0]);
    // The test suites in `again`, which a proof runs too, belong to `npm test` and not to another proof.
    expect([name, again.map(proofOf).filter((owner) => owner !== undefined)]).toEqual([name, []]);
  }
});

test('no test suite is part of two proofs (long tests) in test/proofs.ts', () => {
  const owners = (suite: string) =>
    all.filter(([, { suites = [], but = [] }]) => isIn(suites, suite) && !isIn(but, suite)).map(([name]) => name);
  expect(allSuites().filter((suite) => owners(suite).length > 1)).toEqual([]);
});
