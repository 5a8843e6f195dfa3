import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isIn, PROOFS, proofOf } from './proofs.ts';
import { ENTRY } from './support/figures.ts';
import { allSuites, ROOT } from './support/suites.ts';

/* The list of proofs is of what there is, and test/README.md is of the list. */

const all = Object.entries(PROOFS);

test('each path that a proof names is there, and each proof runs something', () => {
  for (const [name, { suites = [], but = [], again = [], config, script = [] }] of all) {
    const paths = [...suites, ...but, ...again, ...script.slice(0, 1), ...(config === undefined ? [] : [config])];
    expect([name, paths.filter((path) => !existsSync(join(ROOT, path)))]).toEqual([name, []]);
    expect([name, paths.length]).not.toEqual([name, 0]);
    // What is run once more is what `npm test` runs.
    expect([name, again.map(proofOf).filter((owner) => owner !== undefined)]).toEqual([name, []]);
  }
});

test('no suite is part of two proofs', () => {
  const owners = (suite: string) =>
    all.filter(([, { suites = [], but = [] }]) => isIn(suites, suite) && !isIn(but, suite)).map(([name]) => name);
  expect(allSuites().filter((suite) => owners(suite).length > 1)).toEqual([]);
});

test('test/README.md has an entry for each proof, in their order, with its question', () => {
  const text = readFileSync(join(ROOT, 'test', 'README.md'), 'utf8');
  const entries = [...text.matchAll(ENTRY)];
  expect(entries.map(([, name, question]) => [name, question])).toEqual(
    all.map(([name, { question }]) => [name, question]),
  );
});

test('all proofs together take two hours at most, and each twenty minutes', () => {
  expect(all.filter(([, { minutes }]) => minutes > 20)).toEqual([]);
  expect(all.reduce((sum, [, { minutes }]) => sum + minutes, 0)).toBeLessThanOrEqual(120);
});
