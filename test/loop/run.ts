import { argumentsOf } from '../../src/commands/run-command.ts';
import { openRun } from '../faults/server-of-the-run.ts';
import { openBeside } from './beside.ts';
import { openEmbedded } from './embedded.ts';
import { runLoop } from './loop.ts';

/*
 * `npm run proofs -- loop -- --kills 100 --seed 1 --mode beside`: the API, its delivery and the identity provider are killed
 * at random while rights change. Ends with 0 where no change was lost, and nothing withdrawn was accepted.
 */

const { values } = argumentsOf({
  usage:
    'usage: npm run proofs -- loop -- [--kills NUMBER] [--seed NUMBER] [--mode beside,embedded]\n  --help, --version',
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
  for (const mode of ['beside', 'embedded'] as const) {
    if (!values.mode.split(',').includes(mode)) continue;
    const world = await OPENINGS[mode]();
    try {
      const { figures, violations } = await runLoop(world, {
        ...{ kills, seed, isHurried: false },
        say: (line) => {
          console.log(`${mode}: ${line}`);
        },
      });
      console.log(`${mode}, seed ${seed}: ${JSON.stringify(figures)}`);
      for (const violation of violations.slice(0, 40)) console.log(`NOT ${violation}`);
      console.log(`${mode}: ${violations.length} violations`);
      if (violations.length > 0) process.exitCode = 1;
    } finally {
      await world.close();
    }
  }
} finally {
  await run.close();
}
