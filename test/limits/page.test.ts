import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PAGE, pageOfLimits, readLimits } from './page.ts';

const SRC = join(import.meta.dirname, '../../src');

test('docs/limits.md is generated from the present src/limits.ts', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await pageOfLimits());
});

test('each limit of the service is defined only in src/limits.ts, and some code uses the limit', async () => {
  const names = (await readdir(SRC, { recursive: true })).filter(
    (path) => path.endsWith('.ts') && path !== 'limits.ts',
  );
  const files = await Promise.all(names.map(async (path) => ({ path, text: await readFile(join(SRC, path), 'utf8') })));
  const elsewhere = files.filter(({ text }) =>
    /^(?:export )?const \w+_(?:MS|BYTES|S) = [\d_]+(?: \* [\d_]+)*;/m.test(text),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
  const all = files.map(({ text }) => text).join('\n');
  const unused = (await readLimits()).filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(all));
  expect(unused.map(({ name }) => name)).toEqual([]);
});
