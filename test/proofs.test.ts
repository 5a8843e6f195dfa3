import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isIn, PROOFS, proofOf } from './proofs.ts';
import { allSuites, ROOT } from './support/suites.ts';

/* These tests check that the list of proofs (long tests) in test/proofs.ts names only files that exist. */

const all = Object.entries(PROOFS);

test('each path that test/proofs.ts lists exists, and each group of slow tests has a suite or a script', () => {
  for (const [name, { suites = [], but = [], again = [], config, script = [] }] of all) {
    const paths = [...suites, ...but, ...again, ...script.slice(0, 1), ...(config === undefined ? [] : [config])];
    expect([name, paths.filter((path) => !existsSync(join(ROOT, path)))]).toEqual([name, []]);
    expect([name, paths.length]).not.toEqual([name, 0]);
    // The list `again` names suites that a group of slow tests (proof) also runs. Each of them belongs to `npm test`,
    // and to no other group.
    expect([name, again.map(proofOf).filter((owner) => owner !== undefined)]).toEqual([name, []]);
  }
});

test('no test suite is part of two groups of slow tests in test/proofs.ts', () => {
  const owners = (suite: string) =>
    all.filter(([, { suites = [], but = [] }]) => isIn(suites, suite) && !isIn(but, suite)).map(([name]) => name);
  expect(allSuites().filter((suite) => owners(suite).length > 1)).toEqual([]);
});
