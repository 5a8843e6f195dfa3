import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault } from './fault.ts';
import { whileEnding } from './while-ending.ts';

const FOLDER = join(import.meta.dirname, 'faults');

/** Every fault of every file, in the order of their names, then each that lasts once more with a SIGTERM in it. */
export async function allFaults(): Promise<Fault[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(FOLDER, file)).href)) as { faults: Fault[] }),
  );
  const faults = modules.flatMap((module) => module.faults);
  faults.sort((one, other) => (one.name < other.name ? -1 : 1));
  return [...faults, ...faults.flatMap(whileEnding)];
}
