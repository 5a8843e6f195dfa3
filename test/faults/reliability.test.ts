import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { allFaults } from './all-faults.ts';

/*
 * docs/reliability.md describes exactly the failures that `npm run proofs -- faults` causes, for example a killed
 * process.
 */

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the name of every failure that docs/reliability.md tests by a command. */
async function named(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  return [...text.matchAll(/`npm run proofs -- faults -- ([^`]+)`/g)].flatMap(([, names = '']) => names.split(' '));
}

test('docs/reliability.md names exactly once each failure that npm run proofs -- faults causes, and names no other failure', async () => {
  const names = (await allFaults()).map(({ name }) => name);
  const without = names.filter((name) => !name.startsWith('sigterm-while-'));
  expect((await named()).sort()).toEqual([...without, 'sigterm-while-*'].sort());
});

test('npm run proofs causes each failure that lasts for some time twice: once alone, and once with a SIGTERM to the service while the failure lasts', async () => {
  const faults = await allFaults();
  const lasting = faults.filter(({ holdMs, endsService, name }) => {
    return holdMs > 0 && endsService !== true && name !== 'no-fault';
  });
  const names = faults.map(({ name }) => name);
  expect(lasting.length).toBeGreaterThan(20);
  expect(lasting.filter(({ name }) => !names.includes(`sigterm-while-${name}`))).toEqual([]);
});

test('every npm command that docs/reliability.md names exists', async () => {
  const text = await readFile(join(ROOT, 'docs', 'reliability.md'), 'utf8');
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = [...text.matchAll(/`npm run ([\w:]+)/g)].map(([, name = '']) => name);
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(commands).toContain('proofs');
});
