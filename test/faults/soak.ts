import { setTimeout as delay } from 'node:timers/promises';
import { parseProcessArguments } from '../../src/commands/run-command.ts';
import { withAdmin } from '../support/database.ts';
import { check, fill, fixtureOf } from './account.ts';
import { allFaults } from './all-faults.ts';
import type { Fault } from './fault.ts';
import { GAUGED, readGauges } from './gauges.ts';
import type { Gauges } from './gauges.ts';
import { startLoad } from './load-process.ts';
import { randomFrom } from './load/random.ts';
import { minutesOf } from './minutes.ts';
import { openRun } from './server-of-the-run.ts';
import { serving } from './serving.ts';
import { settle } from './trial.ts';
import { openWorld } from './world.ts';

/*
 * `npm run proofs -- soak -- --minutes 20`: mixed load at a steady rate on one process, with short faults in it. Ends with 1
 * where something does not hold in the end, or where files or connections have become more than a handful more.
 */

const { values } = parseProcessArguments({
  usage: 'usage: npm run proofs -- soak -- [--minutes NUMBER] [--seed NUMBER]\n  --help, --version',
  options: { minutes: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const PAUSE_MS = 20_000;
const LONGEST_FAULT_MS = 3_500;
const WARM_MS = 10_000;
/** What may stay open of what faults have opened: idle connections come and go. */
const HANDFUL = 20;

/** The faults that one and the same process lives through, and that need nothing of their own around them. */
function isShort({ world, endsService, holdMs, name }: Fault): boolean {
  const isPlain = world === undefined && endsService !== true && holdMs <= LONGEST_FAULT_MS;
  return isPlain && !['no-fault', 'start-interrupted', 'three-thousand-waiting'].includes(name);
}

const faults = (await allFaults()).filter(isShort);
const random = randomFrom(seed);
const run = await openRun();
try {
  const world = await openWorld(run.cluster, GAUGED);
  const { pid, port } = world.service;
  const fixture = await withAdmin(world.adminUrl, fixtureOf);
  const load = await startLoad(world.folder, { port, seed, people: world.people, without: [] });
  await delay(WARM_MS);
  const start = await readGauges(world);
  const from = Date.now();
  const sprinkled: { name: string; at: number }[] = [];
  while (Date.now() + PAUSE_MS < from + minutes * 60_000) {
    await delay(PAUSE_MS * (0.5 + random()));
    const fault = faults[Math.floor(random() * faults.length)];
    if (fault === undefined) continue;
    sprinkled.push({ name: fault.name, at: Date.now() });
    const mend = await fault.begin(world, load);
    await delay(fault.holdMs);
    await mend();
  }
  await delay(WARM_MS);
  const entries = await load.finish();
  await settle(world, entries);
  const end = await readGauges(world);
  const contents = await world.contents();
  const wrong = await withAdmin(world.adminUrl, async (admin) => {
    await fill(admin, { fixture, entries, contents, spared: [] });
    return check(admin);
  });
  wrong.push(...(await serving(world, { pid, endsService: false })));
  console.log(minutesOf(entries, sprinkled));
  console.log(`\n${gaugeTable(start, end)}\n`);
  for (const { check: name, detail } of wrong.slice(0, 40)) console.log(`NOT ${name}: ${detail}`);
  const grown = end.files > start.files + HANDFUL || end.connections > start.connections + HANDFUL;
  if (grown) console.log('NOT: files or connections have become more');
  const held = wrong.length === 0 && !grown ? 'everything holds' : 'something does not hold';
  console.log(`${entries.length} requests, ${sprinkled.length} faults, seed ${seed}: ${held}`);
  process.exitCode = wrong.length === 0 && !grown ? 0 : 1;
  await world.close();
} finally {
  await run.close();
}

function gaugeTable(start: Gauges, end: Gauges): string {
  const names = Object.keys(start) as (keyof Gauges)[];
  return names.map((name) => `${name.padEnd(12)} ${String(start[name]).padStart(6)} → ${String(end[name])}`).join('\n');
}
