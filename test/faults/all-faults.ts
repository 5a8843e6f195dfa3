import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault } from './fault.ts';
import { whileEnding } from './while-ending.ts';

const FOLDER = join(import.meta.dirname, 'faults');

/**
 * Returns all failures that these tests cause, for example a killed process, sorted by name. A lasting failure is in
 * the list twice: in its second test, the service also gets SIGTERM.
 */
export async function allFaults(): Promise<Fault[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(FOLDER, file)).href)) as { faults: Fault[] }),
  );
  const faults = modules.flatMap((module) => module.faults);
  faults.sort((one, other) => (one.name < other.name ? -1 : 1));
  return [...faults, ...faults.flatMap(whileEnding)];
}
