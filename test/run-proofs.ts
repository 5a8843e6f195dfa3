import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseProcessArguments } from '../src/commands/run-command.ts';
import { PROOFS, suitesOf } from './proofs.ts';
import { writeFigures } from './support/figures.ts';
import { JEST, ROOT } from './support/suites.ts';

/*
 * `npm run proofs`: every proof, or those that are named, one after the other, and a table of them at the end. A proof that
 * tries a part of something tries another part on each revision. Ends with 1 where one does not hold, with 2 where a name
 * is of none.
 */

/** None may hang for ever. */
const LONGEST_MS = 45 * 60_000;

interface Outcome {
  readonly name: string;
  readonly holds: boolean;
  readonly seconds: number;
  readonly figure: string;
}

const given = process.argv.slice(2);
const dashes = given.indexOf('--');
const [own, handed] = dashes === -1 ? [given, []] : [given.slice(0, dashes), given.slice(dashes + 1)];
const { values, positionals: named } = parseProcessArguments(
  {
    usage: `usage: npm run proofs -- [options] [NAME…] [-- arguments of the one proof's script]
  --list     name the proofs
  --write    write the figures of those that hold into test/README.md and docs/reliability.md
  --help, --version`,
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  },
  own,
);
const unknown = named.filter((name) => !(name in PROOFS));
if (unknown.length > 0 || values.list || (handed.length > 0 && named.length !== 1)) {
  if (unknown.length > 0) console.error(`${unknown.join(', ')}: no such proof. They are:`);
  for (const [name, { question, minutes }] of Object.entries(PROOFS)) {
    console.log(`${name.padEnd(14)}${String(minutes).padStart(3)} min  ${question}`);
  }
  process.exit(values.list ? 0 : 2);
}

const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const sample = process.env['TEST_DAY'] ?? String(parseInt(revision.slice(0, 6), 16));
console.log(`revision ${revision.slice(0, 10)}, TEST_DAY=${sample}`);
const folder = join(ROOT, '.data', 'proofs');
mkdirSync(folder, { recursive: true });

const outcomes: Outcome[] = [];
for (const name of named.length > 0 ? named : Object.keys(PROOFS)) {
  console.log(`\n== ${name}`);
  const outcome = await prove(name);
  outcomes.push(outcome);
  if (outcome.holds && values.write && handed.length === 0) {
    await writeFigures(name, outcome.figure, outcome.seconds, figuresFile(name));
  }
}
console.log(`\n${table(outcomes)}`);
process.exitCode = outcomes.every(({ holds }) => holds) ? 0 : 1;

/** The suites of a proof, then its script. */
async function prove(name: string): Promise<Outcome> {
  const { again = [], config, script } = PROOFS[name] ?? { minutes: 0 };
  const began = performance.now();
  const results = join(folder, `${name}.json`);
  rmSync(results, { force: true });
  rmSync(figuresFile(name), { force: true });
  const suites = [...suitesOf(name), ...again];
  const figures: string[] = [];
  let holds = true;
  if (handed.length === 0 && (suites.length > 0 || config !== undefined)) {
    const which = config === undefined ? ['--runTestsByPath', ...suites] : ['--config', config];
    const { status } = await run(name, [JEST, '--json', `--outputFile=${results}`, ...which]);
    holds = status === 0;
    figures.push(testsIn(results));
  }
  if (script !== undefined) {
    const { status, lastLine } = await run(name, handed.length > 0 ? [...script.slice(0, 1), ...handed] : script);
    holds &&= status === 0;
    figures.push(lastLine);
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  return { name, holds, seconds, figure: figures.join('; ') };
}

async function run(name: string, args: readonly string[]): Promise<{ status: unknown; lastLine: string }> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...PROOFS[name]?.env, TEST_DAY: sample, PROOF_FIGURES: figuresFile(name) },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  });
  const end = (): void => {
    child.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-4_000);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  for (const one of ['SIGINT', 'SIGTERM'] as const) process.off(one, end);
  return { status: code ?? signal, lastLine: tail.trimEnd().split('\n').at(-1) ?? '' };
}

/** What a script says of its parts, by name, as JSON. */
function figuresFile(name: string): string {
  return join(folder, `${name}.figures.json`);
}

function testsIn(results: string): string {
  try {
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(results, 'utf8')) as Record<string, number>;
    return `${numPassedTests ?? 0} of ${numTotalTests ?? 0} tests`;
  } catch {
    return 'no tests were run';
  }
}

function table(rows: readonly Outcome[]): string {
  const sum = rows.reduce((total, { seconds }) => total + seconds, 0);
  return [
    ...rows.map(
      ({ name, holds, seconds, figure }) =>
        `${holds ? 'holds' : 'NOT  '}  ${name.padEnd(14)}${String(seconds).padStart(6)} s  ${figure}`,
    ),
    `${rows.filter(({ holds }) => holds).length} of ${rows.length} hold, ${sum} s, revision ${revision.slice(0, 10)}`,
  ].join('\n');
}
