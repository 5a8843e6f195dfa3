import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { VERSION } from '../src/version.ts';
import { PROOFS, proofOf } from './proofs.ts';
import { allSuites, JEST, ROOT } from './support/suites.ts';

/*
 * `npm test` runs every test suite that belongs to no proof (long test), and a sample of test/resources/matrix.test.ts
 * that depends on the Git revision. Unknown arguments are passed to Jest. A suite named by its path runs whole, even if
 * it belongs to a proof.
 */

/**
 * Patterns of files that no test suite imports, each with a file that stands for them. If a file of the pattern has
 * changed, `--touched` runs the suites that depend on the second file.
 */
const STANDS_FOR: readonly (readonly [RegExp, string])[] = [
  [
    /^src\/(?:main|service)\.ts$|^src\/demo\/(?:start|greeting|token)\.ts$|^src\/admin\/commands\//,
    'test/support/process.ts',
  ],
  [/^public\//, 'src/http/docs.ts'],
  [/\.md$/, 'test/support/pages.ts'],
  [/^package-lock\.json$/, 'src/app.ts'],
];

const USAGE = `usage: npm test -- [--touched[=REVISION]] [--slow] [path of a suite, or an option of Jest…]
  --touched  run only the suites that depend on changed files, and print the names of their proofs
  --slow     print the seconds of each suite
  --help, --version`;

const given = process.argv.slice(2);
if (given.includes('--help') || given.includes('--version')) {
  console.log(given.includes('--help') ? USAGE : `taxclaims ${VERSION}`);
  process.exit(0);
}
const touched = given.find((one) => /^--touched(?:=|$)/.test(one));
const isSlow = given.includes('--slow');
const rest = given.filter((one) => one !== touched && one !== '--slow');
const isChosen = rest.some((one) => !one.startsWith('-'));

const results = join(ROOT, '.data', 'test-results.json');
const { reached, own } =
  touched === undefined ? { reached: allSuites(), own: [] } : suitesOfChange(touched.split('=')[1] ?? 'HEAD');
const fast = [...reached.filter(isFast), ...own];
// Test suites spend a sixth of their time waiting, so on two processors three workers of Jest are faster than two.
const chosen = isChosen ? [] : ['--maxWorkers=3', '--runTestsByPath', ...fast];
const sample = isChosen ? {} : { TEST_DAY: process.env['TEST_DAY'] ?? dayOfRevision(), TEST_SAMPLE: '1/10' };
if (!isChosen)
  console.log(`test/resources/matrix.test.ts: a tenth of the cases, drawn with TEST_DAY=${sample.TEST_DAY ?? ''}`);
let status: number | null = 0;
if (isChosen || fast.length > 0) {
  const slow = isSlow ? ['--json', `--outputFile=${results}`] : [];
  ({ status } = spawnSync(process.execPath, [JEST, ...rest, ...slow, ...chosen], {
    cwd: ROOT,
    env: { ...process.env, ...sample },
    stdio: ['inherit', isSlow ? 'ignore' : 'inherit', 'inherit'],
  }));
}
if (isSlow) printSeconds();
if (touched !== undefined) {
  const names = new Set(reached.filter((suite) => !isFast(suite)).map(proofOf));
  const minutes = [...names].reduce((sum, name) => sum + (PROOFS[String(name)]?.minutes ?? 0), 0);
  if (names.size > 0)
    console.log(
      `Not run: npm run proofs -- ${[...names].sort().join(' ')}, ${minutes} minutes that this change reaches`,
    );
}
process.exitCode = status ?? 1;

function isFast(suite: string): boolean {
  return proofOf(suite) === undefined;
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function dayOfRevision(): string {
  return String(parseInt(git('rev-parse', 'HEAD')[0]?.slice(0, 6) ?? '', 16));
}

/**
 * Returns the test suites that depend on a file changed since the given Git revision. `own` lists suites of slow tests,
 * for changed files of `src` that no suite of `npm test` imports.
 */
function suitesOfChange(revision: string): { reached: string[]; own: string[] } {
  const changed = [
    ...git('diff', '--name-only', '--diff-filter=d', revision),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  if (changed.some((path) => path.startsWith('db/'))) {
    console.log('A file of db/ has changed, and every suite depends on the database.');
    return { reached: allSuites(), own: [] };
  }
  if (changed.length === 0) return { reached: [], own: [] };
  const texts = allSuites().map((suite) => ({ suite, text: readFileSync(join(ROOT, suite), 'utf8') }));
  const own = changed
    .filter((path) => path.startsWith('src/'))
    .map((path) => texts.filter(({ text }) => text.includes(`/${path}'`)).map(({ suite }) => suite))
    .flatMap((importers) => (importers.some(isFast) ? [] : importers));
  const related = changed.flatMap((path) => [
    path,
    ...STANDS_FOR.filter(([of]) => of.test(path)).map(([, file]) => file),
  ]);
  const { stdout } = spawnSync(process.execPath, [JEST, '--listTests', '--findRelatedTests', ...related], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const reached = stdout
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .map((path) => relative(ROOT, path));
  return { reached, own: [...new Set(own)] };
}

function printSeconds(): void {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    testResults: { name: string; startTime: number; endTime: number }[];
  };
  const rows = testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));
  for (const { name, ms } of rows.sort((a, b) => a.ms - b.ms)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(ROOT, name)}`);
  }
}
