import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { VERSION } from '../src/version.ts';
import { proofOf } from './proofs.ts';
import { allSuites, JEST, ROOT } from './support/suites.ts';

/*
 * `npm test`: every suite that no proof names. `--slow` prints the seconds of each. `--touched` runs those alone that
 * what is not committed reaches, and names the proofs that it reaches; `--touched=main` means what has changed since main.
 * `--help` and `--version` are answered here. Anything else goes to Jest, where a path chooses suites whether a proof names them or not.
 */

/** What no suite imports, and the file that stands for it. */
const STANDS_FOR: readonly (readonly [RegExp, string])[] = [
  [/^db\//, 'test/support/database.ts'],
  [/^src\/(?:main|greeting|service)\.ts$|^src\/commands\//, 'test/support/process.ts'],
  [/^public\//, 'src/http/docs.ts'],
  [/\.md$/, 'test/support/pages.ts'],
  [/^package-lock\.json$/, 'src/app.ts'],
];

const USAGE = `usage: npm test -- [--touched[=REVISION]] [--slow] [path of a suite, or an option of Jest…]
  --touched  only the suites that changed files reach, and the names of their proofs
  --slow     prints the seconds of each suite
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
const suites = touched === undefined ? allSuites() : reached(touched.split('=')[1] ?? 'HEAD');
const [fast, proven] = [true, false].map((isFast) =>
  suites.filter((suite) => (proofOf(suite) === undefined) === isFast),
) as [string[], string[]];
const chosen = isChosen ? [] : ['--runTestsByPath', ...fast];
let status: number | null = 0;
if (isChosen || fast.length > 0) {
  const slow = isSlow ? ['--json', `--outputFile=${results}`] : [];
  ({ status } = spawnSync(process.execPath, [JEST, ...rest, ...slow, ...chosen], {
    cwd: ROOT,
    stdio: ['inherit', isSlow ? 'ignore' : 'inherit', 'inherit'],
  }));
}
if (isSlow) tellSlow();
if (touched !== undefined) {
  const names = new Set(proven.map(proofOf));
  if (names.size > 0) console.log(`The proofs of it: npm run proofs -- ${[...names].sort().join(' ')}`);
}
process.exitCode = status ?? 1;

/** The suites that import a file that differs from this revision, or what stands for it. */
function reached(revision: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = [
    ...git('diff', '--name-only', '--diff-filter=d', revision),
    ...git('ls-files', '--others', '--exclude-standard'),
  ].flatMap((path) => [path, ...STANDS_FOR.filter(([of]) => of.test(path)).map(([, file]) => file)]);
  if (changed.length === 0) return [];
  const { stdout } = spawnSync(process.execPath, [JEST, '--listTests', '--findRelatedTests', ...changed], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .map((path) => relative(ROOT, path));
}

function tellSlow(): void {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    testResults: { name: string; startTime: number; endTime: number }[];
  };
  const rows = testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }));
  for (const { name, ms } of rows.sort((a, b) => a.ms - b.ms)) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(ROOT, name)}`);
  }
}
