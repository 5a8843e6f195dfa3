import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PROOFS } from './proofs.ts';
import { DOCUMENTS, stateOf, statedIn } from './support/figures.ts';
import { ROOT } from './support/suites.ts';

/*
 * A figure is of a proof in one state of its files: where these have changed since, it says nothing any more. The state
 * `none` says so itself: the proof has not been run whole since it was given a name.
 */

test.each(DOCUMENTS)('each figure of %s was measured with the present files of its proof', (document) => {
  const stated = statedIn(readFileSync(join(ROOT, document), 'utf8'));
  expect(stated).not.toEqual([]);
  const old = stated.filter(({ name, state }) => name in PROOFS && state !== 'none' && state !== stateOf(name));
  expect(old.map(({ name }) => `npm run proofs -- ${name} --write`)).toEqual([]);
  expect(stated.filter(({ name }) => !(name in PROOFS))).toEqual([]);
});
