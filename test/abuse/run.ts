import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { AREAS } from './areas.ts';
import { tryArea } from './trial.ts';
import type { Outcome } from './trial.ts';
import { openWorld } from './world.ts';

/*
 * `npm run proofs -- abuse` attacks the real service with attacks of all kinds, or only with the kinds that are named
 * after `--`. The exit code is 0 if all attacks fail without damage, 1 if an attack succeeds or does damage, and 2 if a
 * kind is unknown.
 */

const SHOWN = 12;

const { positionals: names } = parseProcessArguments({
  usage: 'usage: npm run proofs -- abuse -- [AREA…]\n  --help, --version',
  allowPositionals: true,
});
const unknown = names.filter((name) => !AREAS.some((area) => area.name === name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: no such area. The areas are:\n${AREAS.map(({ name }) => name).join('\n')}`);
  process.exit(2);
}

const world = await openWorld();
const prober = fork(join(import.meta.dirname, 'prober.ts'), [
  ...[String(world.port), world.tokens.manager, world.ownMark],
]);
const outcomes: Outcome[] = [];
let ended: number | string;
try {
  for (const area of AREAS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const outcome = await tryArea(world, area, prober);
    outcomes.push(outcome);
    tell(outcome);
  }
} finally {
  prober.disconnect();
  ended = await world.close();
}
console.log(`\n${tableOf(outcomes)}\n`);
const failed = outcomes.filter(({ fallen, damages }) => fallen.length + damages.length > 0).length;
const sum = outcomes.reduce((total, { attacks }) => total + attacks, 0);
console.log(`${sum} attacks in ${outcomes.length} areas, ${failed} of them with a successful attack or damage`);
if (ended !== 0) console.log(`the service ended with ${ended}: ${world.started.err}`);
process.exitCode = failed > 0 || ended !== 0 ? 1 : 0;

function tell({ area, fallen, damages, figures }: Outcome): void {
  console.log(`${fallen.length + damages.length === 0 ? 'ok  ' : 'NOT '} ${area}`);
  for (const line of [...figures, ...fallen.slice(0, SHOWN), ...damages.slice(0, SHOWN)]) console.log(`     ${line}`);
}

function tableOf(rows: readonly Outcome[]): string {
  const head = [
    'area',
    'attacks',
    'held',
    'fallen',
    'foreign',
    '5xx',
    '/health ms',
    'slowest ms',
    'damages',
    'seconds',
  ];
  const cells = rows.map((row) => [
    row.area,
    ...[row.attacks, row.attacks - row.fallen.length, row.fallen.length, row.foreignBytes, row.serverErrors],
    ...[Math.round(row.worstHealthMs), Math.round(row.slowestMs), row.damages.length, row.seconds],
  ]);
  return [head, ...cells]
    .map(([name = '', ...figures]) => String(name).padEnd(18) + figures.map((one) => String(one).padStart(12)).join(''))
    .join('\n');
}
