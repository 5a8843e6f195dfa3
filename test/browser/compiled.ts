import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const MODULES = join(ROOT, 'node_modules');

/**
 * Returns the JavaScript of the example pages in test/browser/desk by their paths. The API client of the pages is
 * generated from docs/openapi.json as docs/frontend.md says, and compiled strictly with openapi-fetch in an empty
 * folder.
 */
export async function compiled(folder: string): Promise<Record<string, string>> {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    });
  await cp(join(import.meta.dirname, 'desk'), folder, { recursive: true });
  await symlink(MODULES, join(folder, 'node_modules'));
  const strict = ['strict', 'noUncheckedIndexedAccess', 'noImplicitReturns', 'skipLibCheck'].map((one) => [one, true]);
  const compilerOptions = {
    ...(Object.fromEntries(strict) as Record<string, boolean>),
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
    ...{ module: 'esnext', moduleResolution: 'bundler', rootDir: '.' },
  };
  const files = ['desk.ts', 'claim.ts'];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(
    join(MODULES, 'openapi-typescript', 'bin', 'cli.js'),
    join(ROOT, 'docs', 'openapi.json'),
    '-o',
    'schema.ts',
  );
  await run(join(MODULES, 'typescript', 'bin', 'tsc'));
  const read = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');
  return {
    '/': await read(folder, 'index.html'),
    '/desk.js': await read(folder, 'desk.js'),
    '/claim': await read(folder, 'claim.html'),
    '/claim.js': await read(folder, 'claim.js'),
    '/openapi-fetch.js': await read(MODULES, 'openapi-fetch', 'dist', 'index.mjs'),
  };
}
