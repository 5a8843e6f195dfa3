import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig, ENVIRONMENT_VARIABLE_NAMES } from '../src/config.ts';
import { createTestDatabase, withAdmin } from './support/database.ts';
import type { TestDatabase } from './support/database.ts';

/* These tests check that the lists in the Markdown pages agree with the code and the database. */

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

const codesIn = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Reads the names and the defaults of the environment variables in docs/configuration.md. */
async function variables(): Promise<(readonly [name: string, standard: string | undefined])[]> {
  const lines = (await read('docs/configuration.md')).matchAll(/^- ((?:`\w+`,? ?)+)(?:\(default (.*?)\))?:/gm);
  return [...lines].flatMap(([, names, defaults]) => {
    const standards = codesIn(defaults);
    return codesIn(names).map((name, index) => [name, standards[index]] as const);
  });
}

test('docs/configuration.md names every variable of the service and of the database commands', async () => {
  const named = (await variables()).map(([name]) => name);
  expect(named.sort()).toEqual([...ENVIRONMENT_VARIABLE_NAMES, 'DATABASE_ADMIN_URL'].sort());
});

test('docs/configuration.md has the default of every variable that has one', async () => {
  const told = (await variables()).filter(([, standard]) => standard !== undefined);
  for (const [name, standard] of told) expect([name, loadConfig({ [name]: standard })]).toEqual([name, loadConfig({})]);
  expect(told.length).toBeGreaterThan(10);
});

describe('the pages list exactly the database functions that exist', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  async function functionsWhere(sqlCondition: string): Promise<string[]> {
    return withAdmin(database.adminUrl, async (admin) => {
      const { rows } = await admin.query<{ name: string }>(
        `select distinct f.pronamespace::regnamespace || '.' || f.proname as name
         from pg_proc as f
         where f.pronamespace::regnamespace::text in ('app', 'reporting', 'audit') and (${sqlCondition})
         order by 1`,
      );
      return rows.map(({ name }) => name);
    });
  }

  test('docs/decisions/definer-role.md lists exactly the functions that run with the rights of taxclaims_definer', async () => {
    const items = (await read('docs/decisions/definer-role.md')).matchAll(/^- ((?:`app\.\w+`[\s,]*)+):/gm);
    const listed = [...items].flatMap(([, names]) => codesIn(names));
    expect(listed.sort()).toEqual(await functionsWhere(`f.prosecdef and f.proowner = 'taxclaims_definer'::regrole`));
  });

  test('db/README.md lists exactly the functions that the API’s login is allowed to call', async () => {
    const [entry] = /^- `taxclaims_api` .*?(?=^- )/ms.exec(await read('db/README.md')) ?? [];
    const listed = codesIn(entry).filter((code) => code.startsWith('app.'));
    expect(listed.sort()).toEqual(await functionsWhere(`has_function_privilege('taxclaims_api', f.oid, 'EXECUTE')`));
  });
});

const pages = globSync('{*.md,{bench,db,deploy,docs,test}/**/*.md}', { cwd: ROOT })
  .filter((page) => !page.includes('node_modules'))
  .sort();
/** Returns the length of a line of Markdown without the addresses of its links. */
const widthOf = (line: string): number => line.replaceAll(/\]\([^)]*\)|https?:\/\/\S+/g, '').length;

test('no Markdown page has a line of more than 200 characters', async () => {
  expect(pages.length).toBeGreaterThan(80);
  for (const page of pages) {
    const lines = (await read(page)).split('\n');
    expect([page, lines.filter((line) => widthOf(line) > 200)]).toEqual([page, []]);
  }
});

test.each([
  ['README.md', 130, 160],
  ['CONVENTIONS.md', 150, 160],
])('the page %s has at most %i lines of at most %i characters', async (page, most, widest) => {
  const lines = (await read(page)).trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(most);
  expect(lines.filter((line) => line.length > widest)).toEqual([]);
});

test('.ci/run runs every check that CONTRIBUTING.md names', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  expect(await read('CONTRIBUTING.md')).toContain(
    '`npm run check` is what a change must pass: format, lint, types, tests.',
  );
  expect(scripts['check']).toBe('npm run check:text && npm test');
  expect(scripts['check:text']).toBe('npm run format && npm run lint && npm run types');
  // .ci/run runs the checks of text and the tests at the same time, and fails if one of them fails.
  expect(await read('.ci/run')).toMatch(
    /^npm run check:text .*&\ntext=\$!\n\$\{tests#\* && \}\nlap [^]*^wait "\$text" \|\| \{\n.*\n {4}fail /m,
  );
});
