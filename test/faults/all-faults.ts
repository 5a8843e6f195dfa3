import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault } from './fault.ts';
import { whileEnding } from './while-ending.ts';

const FOLDER = join(import.meta.dirname, 'faults');

/** Every fault that there is a file of, in the order of their names, then each that lasts once more with a SIGTERM in it. */
export async function allFaults(): Promise<Fault[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort();
  const faults = await Promise.all(
    names.map(async (name) => {
      const url = pathToFileURL(join(FOLDER, name)).href;
      const { fault } = (await import(url)) as { readonly fault: Fault };
      if (`${fault.name}.ts` !== name) throw new Error(`${name} is the file of ${fault.name}`);
      return fault;
    }),
  );
  return [...faults, ...faults.flatMap(whileEnding)];
}
