import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';

/* The rules of the house that a reader relies on, held against every file of src/. */

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** From the top down: a file imports from its own floor and from those below it. */
const FLOORS = [
  'commands',
  'main',
  'greeting',
  'service',
  'embedded',
  'app',
  'resources',
  'records',
  'http',
  'documents',
  'db',
  'identity',
  'config',
  'errors',
];
const SAME_FLOOR: Readonly<Record<string, string>> = { 'config-values': 'config' };

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

let files: readonly SourceFile[];

beforeAll(async () => {
  const entries = await readdir(SRC, { recursive: true });
  files = await Promise.all(
    entries
      .filter((path) => path.endsWith('.ts'))
      .map(async (path) => {
        const text = await readFile(join(SRC, path), 'utf8');
        const imports = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name = '']) => name);
        return { path, text, imports };
      }),
  );
});

function floorOf(path: string): number {
  const [first = ''] = path.replace(/\.ts$/, '').split('/');
  const floor = FLOORS.indexOf(SAME_FLOOR[first] ?? first);
  if (floor < 0) throw new Error(`${path} stands on no floor of the house`);
  return floor;
}

/** The files for which something holds that should hold nowhere. */
function offenders(wrong: (file: SourceFile) => boolean): string[] {
  return files.filter(wrong).map(({ path }) => path);
}

const isIn = (path: string, ...rooms: string[]) =>
  rooms.some((room) => path === room || path.startsWith(`${room}/`));

describe('the house', () => {
  test('imports go down one way', () => {
    const upward = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith('.'))
        .map((name) => relative(SRC, join(SRC, dirname(path), name)))
        .filter((target) => floorOf(target) < floorOf(path))
        .map((target) => `${path} imports ${target}`),
    );
    expect(files.length).toBeGreaterThan(40);
    expect(upward).toEqual([]);
  });

  test('pg has its only home below db, express in app and http, and the process belongs to main and the commands', () => {
    const imported = (file: SourceFile, name: string) =>
      file.imports.some((one) => one === name || one.startsWith(`${name}/`));
    expect(offenders((file) => imported(file, 'pg') && !isIn(file.path, 'db', 'embedded'))).toEqual([]);
    expect(offenders((file) => imported(file, 'express') && !isIn(file.path, 'app.ts', 'http'))).toEqual([]);
    expect(
      offenders(
        (file) =>
          /\bprocess\.(?:env|exit|on|once|argv|stdout|stderr)/.test(file.text) &&
          !isIn(file.path, 'main.ts', 'commands'),
      ),
    ).toEqual([]);
  });

  test('nobody but the database’s own room queries it, and nobody sets anything for a session', () => {
    expect(offenders((file) => file.text.includes('.query(') && !isIn(file.path, 'db', 'embedded'))).toEqual(
      [],
    );
    expect(
      offenders((file) => /set_config\([^)]*,\s*true\)/.test(file.text) && file.path !== 'db/settings.ts'),
    ).toEqual([]);
    // Only the migration, on a connection of its own that it closes.
    const session = /set_config\([^)]*,\s*false\)|[`'"]\s*set (?!local\b)/i;
    expect(offenders((file) => session.test(file.text))).toEqual(['db/migrate.ts', 'db/migration-lock.ts']);
  });

  test('no check is silenced', () => {
    const silenced = /eslint-disable|@ts-(?:ignore|expect-error|nocheck)|TODO|FIXME/;
    expect(offenders(({ text }) => silenced.test(text))).toEqual([]);
  });
});
