import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { AREAS } from './areas.ts';

test('docs/reliability.md lists each area of attacks of npm run proofs -- abuse once, in the order of the proof', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
  const named = [...text.matchAll(/`npm run proofs -- abuse -- ([^`]+)`/g)].map(([, name]) => name);
  expect(AREAS.length).toBeGreaterThan(10);
  expect(named).toEqual(AREAS.map(({ name }) => name));
});
