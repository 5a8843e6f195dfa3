import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { words } from './support/words.ts';

/*
 * These tests check every file of src/ against the rules of CONTRIBUTING.md about imports, SQL, libraries and the
 * process.
 */

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** The layers of src/ from the top down. A file is allowed to import only from its own layer and from layers below. */
const FLOORS = words(`
  main demo admin service app resources records http metrics tracing documents outbox counters db identity
  config errors log
`);
const SAME_FLOOR: Readonly<Record<string, string>> = {
  shutdown: 'service',
  observability: 'service',
  'postgres-address': 'config',
  arguments: 'config',
  timeout: 'errors',
  observed: 'errors',
  problems: 'errors',
  'make-folder': 'errors',
  'data-dir': 'errors',
  'file-lock': 'errors',
  shares: 'errors',
  'loop-turns': 'errors',
  'single-line': 'log',
  'paris-clock': 'log',
  'periodic-task': 'errors',
  retries: 'errors',
  limits: 'log',
  version: 'log',
  words: 'errors',
  'system-error': 'errors',
};

/** The files outside admin/, db/, demo/, records/ and resources/ that are allowed to have SQL, with the reason. */
const SQL_ELSEWHERE: Readonly<Record<string, string>> = {
  'documents/removals.ts': 'it calls the database functions that plan and record removals of document contents',
  'http/creation.ts': 'it stores the answer to the creation of a record of any resource',
  'http/visibility.ts': 'it looks up the records that a request names in any table',
  'http/explain-error.ts': 'it asks the database why a record of any resource was not read or changed',
};
/** Matches SQL in a string: the beginning of a statement, or `from`, `join` or `into` before a table of the database. */
const SQL = /^\s*(?:select|insert|update|delete|with|merge)\s|\b(?:from|join|into)\s+(?:public|app|reporting|audit)\./i;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const entries = await readdir(SRC, { recursive: true });
const files = await Promise.all(
  entries
    .filter((path) => path.endsWith('.ts'))
    .map(async (path) => {
      const text = await readFile(join(SRC, path), 'utf8');
      const imports = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name = '']) => name);
      return { path, text, imports };
    }),
);

function floorOf(path: string): number {
  const [first = ''] = path.replace(/\.ts$/, '').split('/');
  const floor = FLOORS.indexOf(SAME_FLOOR[first] ?? first);
  if (floor < 0) throw new Error(`${path} is in no layer of src/`);
  return floor;
}

function offenders(wrong: (file: SourceFile) => boolean): string[] {
  return files.filter(wrong).map(({ path }) => path);
}

const isIn = (path: string, ...rooms: string[]) => rooms.some((room) => path === room || path.startsWith(`${room}/`));

function literalsOf({ path, text }: SourceFile): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node)) literals.push(node.getText().slice(1, -1));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return literals;
}

test('each folder of src imports only from the folders below it, in the order of CONTRIBUTING.md', async () => {
  const upward = files.flatMap(({ path, imports }) =>
    imports
      .filter((name) => name.startsWith('.'))
      .map((name) => relative(SRC, join(SRC, dirname(path), name)))
      .filter((target) => floorOf(target) < floorOf(path))
      .map((target) => `${path} imports ${target}`),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(upward).toEqual([]);
  const said = await readFile(join(SRC, '..', 'CONTRIBUTING.md'), 'utf8');
  expect(said.replaceAll('\n  ', ' ')).toContain(`- Imports go down one way: ${FLOORS.join(' → ')}.\n`);
});

test('SQL stands only in admin/, db/, demo/, records/ and resources/, and in the listed exceptions', () => {
  const withSql = offenders((file) => literalsOf(file).some((literal) => SQL.test(literal)));
  const elsewhere = withSql.filter((path) => !isIn(path, 'admin', 'db', 'demo', 'records', 'resources'));
  expect(withSql.filter((path) => isIn(path, 'resources')).length).toBeGreaterThan(5);
  expect(elsewhere.sort()).toEqual(Object.keys(SQL_ELSEWHERE).sort());
});

test('only admin/, db/ and demo/ import pg, only app, http/ and the embedded provider import express, and only main and the commands use process', () => {
  const imported = (file: SourceFile, name: string) =>
    file.imports.some((one) => one === name || one.startsWith(`${name}/`));
  expect(offenders((file) => imported(file, 'pg') && !isIn(file.path, 'admin', 'db', 'demo'))).toEqual([]);
  const withExpress = ['app.ts', 'http', 'demo/provider'];
  expect(offenders((file) => imported(file, 'express') && !isIn(file.path, ...withExpress))).toEqual([]);
  expect(
    offenders(
      (file) =>
        /\bprocess\.(?:env|exit|on|once|argv|stdout|stderr)/.test(file.text) &&
        !isIn(file.path, 'main.ts', 'admin/commands', 'demo/token.ts'),
    ),
  ).toEqual([]);
});

test('only admin/, db/ and demo/ send queries, and no query sets a value for a whole session', () => {
  expect(offenders((file) => file.text.includes('.query(') && !isIn(file.path, 'admin', 'db', 'demo'))).toEqual([]);
  expect(offenders((file) => /set_config\([^)]*,\s*true\)/.test(file.text) && file.path !== 'db/settings.ts')).toEqual(
    [],
  );
  // Only the deploy sets values for a whole session, because the deploy has connections of its own. `set constraints`
  // ends with the transaction.
  const session = /set_config\([^)]*,\s*false\)|[`'"]\s*set (?!(?:local|constraints)\b)/i;
  expect(offenders((file) => session.test(file.text))).toEqual([
    'admin/deploy/admin-connection.ts',
    'admin/deploy/run-migrations.ts',
  ]);
});

test('only single-line.ts and the reading of typed text replace line breaks of a text by blanks', () => {
  const replacing = /replaceAll\(\/[^\n]*\\(?:s|n|p\{Cc\})[^\n]*\/\w+, ' '\)/;
  expect(replacing.test(String.raw`text.replaceAll(/(?!\n)\p{Cc}/gu, ' ')`)).toBe(true);
  // The reading of typed text keeps control characters.
  expect(offenders(({ text }) => replacing.test(text))).toEqual(['http/typed-text.ts']);
});

test('no file of src silences a lint rule, the type checker or the formatter', () => {
  const silenced = /eslint-disable|@ts-(?:ignore|expect-error|nocheck)|TODO|FIXME/;
  expect(offenders(({ text }) => silenced.test(text))).toEqual([]);
});

test('the files at the top of the repository name one release of Node, and the workflow runs .ci/run alone', async () => {
  const read = (name: string): Promise<string> => readFile(join(SRC, '..', name), 'utf8');
  const release = (await read('.node-version')).trim();
  const named = [await read('package.json'), await read('Dockerfile'), await read('.devcontainer/devcontainer.json')];
  const versions = named.flatMap((text) =>
    [...text.matchAll(/node(?:-linux-\w+": "|:)(\d+\.\d+\.\d+)/g)].map(([, one]) => one),
  );
  expect(versions).toHaveLength(6);
  expect(new Set(versions)).toEqual(new Set([release]));
  expect((await read('.github/workflows/check.yml')).match(/(?<=run: ).+/g)).toEqual(['.ci/run']);
});
