import { parseProcessArguments } from '../../src/commands/run-command.ts';
import { openRun } from '../faults/server-of-the-run.ts';
import { openBeside } from './beside.ts';
import { openEmbedded } from './embedded.ts';
import { runLoop } from './loop.ts';
import { runReminders } from './reminders.ts';

/*
 * `npm run proofs -- loop -- --kills 100 --seed 1 --mode beside`: the API, its delivery and the identity provider are killed
 * at random while rights change. Ends with 0 where no change was lost, and nothing withdrawn was accepted. The proof
 * `reminders` kills the API, Postgres and the mail server while users are reminded: nobody is forgotten, and no mail comes
 * twice but where its answer was lost.
 */

const { values } = parseProcessArguments({
  usage:
    'usage: npm run proofs -- loop -- [--kills NUMBER] [--seed NUMBER] [--mode reminders,beside,embedded]\n  --help, --version',
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'beside,embedded' },
  },
});
const OPENINGS = { beside: openBeside, embedded: openEmbedded };
const [kills, seed] = [Number(values.kills), Number(values.seed)];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}
const run = await openRun();
try {
  const report = (mode: string, { figures, violations }: Awaited<ReturnType<typeof runLoop>>): void => {
    console.log(`${mode}, seed ${seed}: ${JSON.stringify(figures)}`);
    for (const violation of violations.slice(0, 40)) console.log(`NOT ${violation}`);
    console.log(`${mode}: ${violations.length} violations`);
    if (violations.length > 0) process.exitCode = 1;
  };
  const saying = (mode: string) => (line: string) => {
    console.log(`${mode}: ${line}`);
  };
  if (values.mode.split(',').includes('reminders'))
    report('reminders', await runReminders(run.cluster, { kills, seed, say: saying('reminders') }));
  for (const mode of ['beside', 'embedded'] as const) {
    if (!values.mode.split(',').includes(mode)) continue;
    const world = await OPENINGS[mode]();
    try {
      report(mode, await runLoop(world, { kills, seed, isHurried: false, say: saying(mode) }));
    } finally {
      await world.close();
    }
  }
} finally {
  await run.close();
}
