import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ENDING, PARTS } from '../../deploy/check/parts.ts';

const FILE = join(import.meta.dirname, '..', '..', 'deploy', 'compose', 'docker-compose.yml');

/** The services by name, with what stands below each; test:deploy reads the file as Compose does. */
async function servicesOf(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8');
  const [, services = ''] = /^services:\n((?: .*\n|\n)+)/m.exec(text) ?? [];
  const parts = services.split(/^ {2}(\S+):\n/m).slice(1);
  return new Map(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : [])),
  );
}

test('each service of the composition is broken by a fault, or ends by itself and is tried elsewhere', async () => {
  const services = await servicesOf(FILE);
  expect(services.size).toBeGreaterThan(5);
  const broken = new Set(PARTS.flat().flatMap(({ breaks = [] }) => breaks));
  const unbroken = [...services.keys()].filter((name) => !broken.has(name) && !(name in ENDING));
  expect(unbroken).toEqual([]);
  expect([...broken, ...Object.keys(ENDING)].filter((name) => !services.has(name))).toEqual([]);
});

test('whatever is said to end by itself is not started again, and everything else is', async () => {
  const ending = [...(await servicesOf(FILE))].filter(([, text]) => /^ {4}restart: 'no'$/m.test(text));
  expect(ending.map(([name]) => name).sort()).toEqual(Object.keys(ENDING).sort());
});

test('each fault has a name of its own', () => {
  const names = PARTS.flat().map(({ part, fault }) => `${part}/${fault}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
