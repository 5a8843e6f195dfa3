import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AREAS } from './areas.ts';

test('docs/reliability.md lists all kinds of attacks in the order in which `npm run proofs -- abuse` runs them', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
  const named = [...text.matchAll(/`npm run proofs -- abuse -- ([^`]+)`/g)].map(([, name]) => name);
  expect(AREAS.length).toBeGreaterThan(10);
  expect(named).toEqual(AREAS.map(({ name }) => name));
});
