import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { allFaults } from './all-faults.ts';
import type { Fault } from './fault.ts';
import { openRun } from './server-of-the-run.ts';
import { runForMinutes } from './minutes.ts';
import { tableOf } from './table.ts';
import { tryFault } from './trial.ts';
import type { Outcome } from './trial.ts';

/*
 * `npm run proofs -- faults` causes one failure after another, for example kills a process, while a load test sends
 * real requests. With `--minutes 20` it causes short failures at random during one load test. The exit code is 0 if
 * every check succeeds, 1 if a check fails, and 2 if the name of a failure is unknown.
 */

/** The longest time in milliseconds for the test of one failure and its checks. */
const BOUND_MS = 300_000;
const SHOWN = 8;
const OUTPUT_SHOWN = 3_000;

const { values, positionals } = parseProcessArguments({
  usage: 'usage: npm run proofs -- faults -- [--seed NUMBER] [--minutes NUMBER] [FAULT…]\n  --help, --version',
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, minutes: { type: 'string' } },
});
const seed = Number(values.seed);
const known = await allFaults();
const unknown = positionals.filter((name) => !known.some((fault) => isMeant(fault, name)));
if (unknown.length > 0 || !Number.isSafeInteger(seed)) {
  console.error(`${unknown.join(', ')}: no such fault. The faults are:\n${known.map(({ name }) => name).join('\n')}`);
  process.exit(2);
}
const chosen = known.filter((fault) => positionals.length === 0 || positionals.some((name) => isMeant(fault, name)));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}
const run = await openRun();
if (values.minutes !== undefined) {
  const holds = await runForMinutes(run.cluster, { minutes: Number(values.minutes), seed, faults: chosen });
  await run.close();
  process.exit(holds ? 0 : 1);
}
const outcomes: Outcome[] = [];
try {
  for (const fault of chosen) {
    const bound = setTimeout(() => {
      console.log(`NOT  ${fault.name}\n     the fault test is not over after ${BOUND_MS / 1000} s`);
      process.exit(1);
    }, BOUND_MS);
    const outcome = await tryFault(run.cluster, fault, seed);
    clearTimeout(bound);
    outcomes.push(outcome);
    tell(outcome);
  }
} finally {
  await run.close();
}
console.log(`\n${tableOf(outcomes)}\n`);
const failed = outcomes.filter(({ violations }) => violations.length > 0);
const sent = outcomes.reduce((sum, { entries }) => sum + entries.length, 0);
console.log(`${outcomes.length} faults, ${sent} requests, seed ${seed}: ${failed.length} with a violation`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** True if the failure has the wanted name. A star at the end of a wanted name stands for any text. */
function isMeant({ name }: Fault, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

function tell({ fault, violations, output }: Outcome): void {
  console.log(`${violations.length === 0 ? 'ok  ' : 'NOT '} ${fault}`);
  for (const [check, found] of Map.groupBy(violations, (violation) => violation.check)) {
    console.log(`     ${check} (${found.length})`);
    for (const { detail } of found.slice(0, SHOWN)) console.log(`       ${detail}`);
  }
  if (output !== '') console.log(output.slice(-OUTPUT_SHOWN).replaceAll(/^/gm, '     | '));
}
