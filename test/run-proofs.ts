import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseProcessArguments, parseWholeNumber } from '../src/admin/commands/run-command.ts';
import { PROOFS, suitesOf, type Proof } from './proofs.ts';
import { JEST, ROOT } from './support/suites.ts';

/*
 * `npm run proofs` runs all proofs (long tests) or the named ones, and prints a table of them at the end. It exits with
 * 1 if a proof does not hold, and with 2 if there is no proof of a given name. The output of each proof is in
 * `.data/proofs`.
 */

/** After this many milliseconds, `npm run proofs` kills a group of slow tests (proof), which then counts as failed. */
const LONGEST_MS = 45 * 60_000;

interface Outcome {
  readonly name: string;
  /** True if all tests of the group (proof) passed; undefined if the machine lacks something that the group needs. */
  readonly holds: boolean | undefined;
  readonly seconds: number;
  readonly result: string;
}

const given = process.argv.slice(2);
const dashes = given.indexOf('--');
const [own, handed] = dashes === -1 ? [given, []] : [given.slice(0, dashes), given.slice(dashes + 1)];
const { values, positionals: named } = parseProcessArguments(
  {
    usage: `usage: npm run proofs -- [options] [NAME…] [-- arguments of the one proof's script]
  --list       print the name of each proof, its minutes and the question that it answers
  --sample     run only a sample of each proof that has one; the Git revision determines the sample
  --at-once N  run N proofs at the same time; proofs that measure load run alone, at the end
  --help, --version`,
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      sample: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: '1' },
    },
  },
  own,
);
const unknown = named.filter((name) => !(name in PROOFS));
if (unknown.length > 0 || values.list || (handed.length > 0 && named.length !== 1)) {
  if (unknown.length > 0) console.error(`${unknown.join(', ')}: no such proof. The proofs are:`);
  for (const [name, { question, minutes }] of Object.entries(PROOFS)) {
    console.log(`${name.padEnd(14)}${String(minutes).padStart(3)} min  ${question}`);
  }
  process.exit(values.list ? 0 : 2);
}

const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
const day = process.env['TEST_DAY'] ?? String(parseInt(revision.slice(0, 6), 16));
console.log(`revision ${revision.slice(0, 10)}, TEST_DAY=${day}`);
const folder = join(ROOT, '.data', 'proofs');
mkdirSync(folder, { recursive: true });

const children = new Set<ReturnType<typeof spawn>>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    waiting.length = 0;
    alone.length = 0;
    for (const child of children) child.kill('SIGTERM');
  });
const chosen = named.length > 0 ? named : Object.keys(PROOFS);
const atOnce = parseWholeNumber('at-once', values['at-once'], 'proofs', 8);
const isShown = chosen.length === 1;
const alone = chosen.filter((name) => atOnce > 1 && PROOFS[name]?.isAlone);
const waiting = chosen.filter((name) => !alone.includes(name));
if (atOnce > 1) waiting.sort((a, b) => (PROOFS[b]?.minutes ?? 0) - (PROOFS[a]?.minutes ?? 0));
const outcomes: Outcome[] = [];
await Promise.all(Array.from({ length: atOnce }, () => proveAll(waiting)));
await proveAll(alone);
console.log(`\n${table(outcomes)}`);
process.exitCode = outcomes.length === chosen.length && outcomes.every(({ holds }) => holds !== false) ? 0 : 1;

async function proveAll(names: string[]): Promise<void> {
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const outcome = await prove(name, PROOFS[name] as Proof);
    outcomes.push(outcome);
    if (isShown) continue;
    if (outcome.holds === false) process.stdout.write(readFileSync(logOf(name), 'utf8'));
    console.log(`== ${name}: ${verdictOf(outcome)}, ${outcome.seconds} s`);
  }
}

async function prove(name: string, proof: Proof): Promise<Outcome> {
  const began = performance.now();
  const [command, ...args] = proof.answers ?? [process.execPath, '--version'];
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) return { name, holds: undefined, seconds: 0, result: `no answer from ${proof.needs ?? ''}` };
  const results = join(folder, `${name}.json`);
  for (const file of [results, logOf(name)]) rmSync(file, { force: true });
  const all = [...suitesOf(name), ...(proof.again ?? [])];
  const parts = (values.sample && proof.sample?.oneSuiteOf) || 1;
  const suites = all.filter((_, index) => (index + Number(day)) % parts === 0);
  const said = proof.answers === undefined ? [] : [stdout.trim()];
  let holds = true;
  if (handed.length === 0 && (suites.length > 0 || proof.config !== undefined)) {
    const which = proof.config === undefined ? ['--runTestsByPath', ...suites] : ['--config', proof.config];
    holds = (await run(name, [JEST, '--json', `--outputFile=${results}`, ...which])).status === 0;
    const left = all.length - suites.length;
    said.push(testsIn(results) + (left > 0 ? ` in ${suites.length} of ${all.length} suites` : ''));
  }
  if (proof.script !== undefined) {
    const script = handed.length > 0 ? [...proof.script.slice(0, 1), ...handed] : proof.script;
    const { status, lastLine } = await run(name, script);
    holds &&= status === 0;
    said.push(lastLine);
  }
  if (values.sample && proof.sample !== undefined) said.push('a sample');
  return { name, holds, seconds: Math.round((performance.now() - began) / 1000), result: said.join('; ') };
}

async function run(name: string, args: readonly string[]): Promise<{ status: unknown; lastLine: string }> {
  const { env, sample } = PROOFS[name] as Proof;
  const share = values.sample ? sample?.rows : undefined;
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, TEST_DAY: day, ...(share && { TEST_SAMPLE: share }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  children.add(child);
  const log = createWriteStream(logOf(name), { flags: 'a' });
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-4_000);
  });
  for (const output of [child.stdout, child.stderr]) {
    output.pipe(log, { end: false });
    if (isShown) output.pipe(process.stdout, { end: false });
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  children.delete(child);
  log.end();
  await once(log, 'finish');
  return { status: code ?? signal, lastLine: tail.trimEnd().split('\n').at(-1) ?? '' };
}

function logOf(name: string): string {
  return join(folder, `${name}.log`);
}

function testsIn(results: string): string {
  try {
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(results, 'utf8')) as Record<string, number>;
    return `${numPassedTests ?? 0} of ${numTotalTests ?? 0} tests`;
  } catch {
    return 'no tests were run';
  }
}

function verdictOf({ holds }: Pick<Outcome, 'holds'>): string {
  return holds === undefined ? 'not run' : holds ? 'holds' : 'NOT';
}

function table(rows: readonly Outcome[]): string {
  const samples = rows.filter(({ name }) => values.sample && PROOFS[name]?.sample !== undefined);
  return [
    ...rows.map(
      ({ name, holds, seconds, result }) =>
        `${verdictOf({ holds }).padEnd(9)}${name.padEnd(14)}${String(seconds).padStart(6)} s  ${result}`,
    ),
    `${rows.filter(({ holds }) => holds).length} of ${chosen.length} hold, revision ${revision.slice(0, 10)}`,
    ...(samples.length === 0
      ? []
      : [`samples drawn by TEST_DAY=${day}, not whole: ${samples.map(({ name }) => name).join(', ')}`]),
  ].join('\n');
}
