import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { allPages, blocksOf, textOf } from '../support/pages.ts';
import { ROOT } from '../support/suites.ts';

/* Tests the code blocks, the named paths and the tables in the repository’s Markdown pages. */

/** For each Markdown page, the files that run its code blocks; a test names a block by the beginning of its code. */
const RUN: Readonly<Record<string, readonly string[]>> = {
  'CONTRIBUTING.md': ['.ci/run'],
  'CONVENTIONS.md': ['test/pages/conventions.ts'],
  'README.md': ['.ci/run', 'test/process/embedded.test.ts'],
  'db/README.md': [
    'test/pages/dba.test.ts',
    'test/admin/archive/archive.test.ts',
    'test/process/embedded-parts.test.ts',
    'test/deploy/pages.deploy.ts',
    'test/deploy/pgbackrest.deploy.ts',
    'test/homes/restored.test.ts',
    'test/homes/replica.test.ts',
  ],
  'deploy/compose/README.md': ['test/deploy/composition.deploy.ts'],
  'docs/analyst.md': [
    'test/reporting/analysts.test.ts',
    'test/reporting/questions.test.ts',
    'test/deploy/pages.deploy.ts',
  ],
  ...eachPageOf('docs/databases', 'test/pages/databases.test.ts'),
  ...eachPageOf('docs/identity', 'test/identity/recipes.test.ts'),
  'docs/frontend.md': ['test/pages/frontend.test.ts', 'test/browser/login.browser.ts', 'test/clients/clients.test.ts'],
  'docs/operate.md': ['test/deploy/pages.deploy.ts', 'test/proxies/front.ts'],
};

function eachPageOf(folder: string, file: string): Record<string, string[]> {
  const pages = globSync(`${folder}/*.md`, { cwd: ROOT }).filter((page) => basename(page) !== 'README.md');
  return Object.fromEntries(pages.map((page) => [page, [file]]));
}

/** The code blocks of Markdown pages that no test runs, by page and language, with what the block shows. */
const NO_COMMAND: Readonly<Record<string, string>> = {
  'README.md text': 'a drawing of the way from a token to the rows',
  'docs/claims.md mermaid': 'a drawing of the life of a claim',
  'docs/identity/authentik.md python': 'an expression that Authentik runs',
};

const pages = allPages();
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g;

/** The string literals of a test file. Some of them are the beginnings of code blocks that the test runs. */
function stringsOf(file: string): string[] {
  return [...textOf(file).matchAll(LITERAL)]
    .map(([, single, double = '']) => (single ?? double).replaceAll(/\\(['"])/g, '$1').replaceAll('\\n', '\n'))
    .filter((text) => text !== '');
}

test('a test runs each code block of a Markdown page that is a command', () => {
  const blocks = pages.flatMap(blocksOf).filter(({ page, language }) => !(`${page} ${language}` in NO_COMMAND));
  expect(blocks.length).toBeGreaterThan(50);
  const run = Object.entries(RUN).flatMap(([page, files]) =>
    files.flatMap((file) => {
      const begun = stringsOf(file)
        .map((beginning) => blocks.filter((block) => block.page === page && block.code.startsWith(beginning)))
        .filter(({ length }) => length === 1);
      expect([page, file, begun.length]).not.toEqual([page, file, 0]);
      return begun.flat();
    }),
  );
  const left = blocks.filter((block) => !run.includes(block));
  expect(left.map(({ page, line, code }) => `${page}:${line} ${code.split('\n')[0] ?? ''}`)).toEqual([]);
});

test('each code block whose beginning a test names exists in a Markdown page', () => {
  const codes = pages.flatMap(blocksOf).map(({ code }) => code);
  const call = new RegExp(`blockOf\\([^,()]+,\\s*(?:${LITERAL.source})`, 'g');
  const taken = globSync('test/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...textOf(file).matchAll(call)].map(([, single, double = '']) => (single ?? double).replaceAll('\\', '')),
  );
  expect(taken.length).toBeGreaterThan(20);
  expect(taken.filter((beginning) => !codes.some((code) => code.startsWith(beginning)))).toEqual([]);
});

test('each path that a Markdown page names exists in the repository', () => {
  /**
   * Paths that Markdown pages name although the repository lacks them: they belong to an example, a deployment or a
   * package.
   */
  const elsewhere = /contacts|00NN|\.env$|^\.data\//;
  const files = globSync('{.ci,bench,db,deploy,docs,public,src,test}/**', { cwd: ROOT });
  const names = new Set(files.map((file) => basename(file)));
  const missing = pages.flatMap((page) => {
    const prose = textOf(page).replaceAll(/^```.*?^```$/gms, '');
    const codes = [...prose.matchAll(/`(\.?[\w@-][\w@./-]*)`/g)].map(([, code = '']) => code);
    return codes
      .filter((code) => !elsewhere.test(code))
      .filter((code) => {
        const [top = '', ...rest] = code.split('/');
        if (rest.length === 0) return /\.(?:ts|sql)$/.test(code) && !names.has(code);
        const bases = [ROOT, join(ROOT, dirname(page))].filter((base) => existsSync(join(base, top)));
        return bases.length > 0 && !bases.some((base) => existsSync(join(base, code)));
      })
      .map((code) => `${page}: ${code}`);
  });
  expect(missing).toEqual([]);
});

test('each table cell of a Markdown page has at most 60 characters', () => {
  const wide = pages.flatMap((page) =>
    textOf(page)
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^[|: -]+$/.test(line))
      .flatMap((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cell) => cell.length > 60)
      .map((cell) => `${page}: ${cell}`),
  );
  expect(wide).toEqual([]);
});
