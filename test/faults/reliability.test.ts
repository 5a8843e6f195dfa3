import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { allFaults } from './all-faults.ts';

/* What docs/reliability.md says is tried is what is tried. */

const ROOT = join(import.meta.dirname, '..', '..');

/** Every fault that a command of the document names. */
async function named(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  return [...text.matchAll(/`npm run proofs -- faults -- ([^`]+)`/g)].flatMap(([, names = '']) => names.split(' '));
}

test('every fault is in docs/reliability.md once, and every one that it names is there', async () => {
  const names = (await allFaults()).map(({ name }) => name);
  const without = names.filter((name) => !name.startsWith('sigterm-while-'));
  expect((await named()).sort()).toEqual([...without, 'sigterm-while-*'].sort());
});

test('every fault that lasts is tried once more with a SIGTERM in it', async () => {
  const faults = await allFaults();
  const lasting = faults.filter(({ holdMs, endsService, name }) => {
    return holdMs > 0 && endsService !== true && name !== 'no-fault';
  });
  const names = faults.map(({ name }) => name);
  expect(lasting.length).toBeGreaterThan(20);
  expect(lasting.filter(({ name }) => !names.includes(`sigterm-while-${name}`))).toEqual([]);
});

test('the commands that the document names are there', async () => {
  const text = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = [...text.matchAll(/`npm run ([\w:]+)/g)].map(([, name = '']) => name);
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(commands).toContain('proofs');
});
