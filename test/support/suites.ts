import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');

/** Lists the paths of all test suites, relative to the repository. */
export function allSuites(): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
}
