import { setTimeout as delay } from 'node:timers/promises';
import { withAdmin } from '../support/database.ts';
import { check, fill, fixtureOf } from './account.ts';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';
import { GAUGED, readGauges } from './gauges.ts';
import type { Gauges } from './gauges.ts';
import { HEALTH } from './journal.ts';
import type { Entry } from './journal.ts';
import { startLoad } from './load-process.ts';
import { anyOf, randomFrom } from './load/random.ts';
import { serving } from './serving.ts';
import { rightsIn, settle, settleParts } from './trial.ts';
import { openWorld } from './world.ts';

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
}

const PAUSE_MS = 20_000;
const LONGEST_FAULT_MS = 6_000;
const WARM_MS = 10_000;
/**
 * How many more files and connections the service is allowed to have open after the load test than before it. Idle
 * connections come and go, so the number varies.
 */
const HANDFUL = 20;

const MINUTE_MS = 60_000;

/**
 * True if the failure is short and does not end the service, so that a load test against two instances continues while
 * it lasts.
 */
function isShort({ world, endsService, holdMs, name }: Fault): boolean {
  const isPlain = Object.keys(world ?? {}).every((option) => option === 'peer');
  const isLong = ['no-fault', 'start-interrupted', 'three-thousand-waiting'].includes(name);
  return isPlain && endsService !== true && holdMs <= LONGEST_FAULT_MS && !isLong;
}

/**
 * Sends random requests to two instances of the service for some minutes, and causes a short failure about every 20 s.
 * Returns true if all checks succeed at the end, and if the first instance then has hardly more files and connections
 * open than at the beginning.
 */
export async function runForMinutes(cluster: Cluster, options: Options): Promise<boolean> {
  const { minutes, seed, faults } = options;
  const random = randomFrom(seed);
  const short = faults.filter(isShort);
  const world = await openWorld(cluster, { ...GAUGED, peer: true });
  try {
    const { pid, port } = world.service;
    const fixture = await withAdmin(world.adminUrl, fixtureOf);
    const load = await startLoad(world.folder, { port, seed, people: world.people, without: [], ...rightsIn(world) });
    await delay(WARM_MS);
    const start = await readGauges(world);
    const from = Date.now();
    const sprinkled: { name: string; from: number; to: number }[] = [];
    while (Date.now() + PAUSE_MS < from + minutes * MINUTE_MS) {
      await delay(PAUSE_MS * (0.5 + random()));
      const fault = anyOf(random, short);
      if (fault === undefined) continue;
      const one = { name: fault.name, from: Date.now(), to: Infinity };
      const mend = await fault.begin(world, load);
      await delay(fault.holdMs);
      await mend();
      sprinkled.push({ ...one, to: Date.now() });
    }
    await delay(WARM_MS);
    const entries = await load.finish();
    await settle(world, entries);
    await settleParts(world);
    const end = await readGauges(world);
    const contents = [...(await world.contents()), ...(await world.halfWritten())];
    const wrong = await withAdmin(world.adminUrl, async (admin) => {
      await fill(admin, { fixture, entries, contents, spared: [], parts: world.parts, troubles: sprinkled });
      return check(admin);
    });
    wrong.push(...(await serving(world, { pid, endsService: false })));
    const names = Object.keys(start) as (keyof Gauges)[];
    console.log(minutesOf(entries, sprinkled));
    console.log(`\n${names.map((name) => `${name}: ${start[name]} → ${end[name]}`).join('\n')}\n`);
    for (const { check: name, detail } of wrong.slice(0, 40)) console.log(`NOT ${name}: ${detail}`);
    const hasGrown = end.files > start.files + HANDFUL || end.connections > start.connections + HANDFUL;
    if (hasGrown) console.log('NOT: the first instance has more open files or connections than at the beginning');
    const holds = wrong.length === 0 && !hasGrown;
    const held = holds ? 'all checks hold' : 'a check has failed';
    console.log(`${minutes} minutes, ${entries.length} requests, ${sprinkled.length} faults, seed ${seed}: ${held}`);
    return holds;
  } finally {
    await world.close();
  }
}

/**
 * Returns one line of text for each minute of the load test, with the number of answers, their speed, and the failures
 * in that minute.
 */
function minutesOf(
  entries: readonly Entry[],
  faults: readonly { readonly name: string; readonly from: number }[],
): string {
  const start = Math.min(...entries.slice(0, 100).map(({ at }) => at));
  const minuteOf = ({ at }: { readonly at: number }): number => Math.floor((at - start) / MINUTE_MS);
  const requests = Map.groupBy(
    entries.filter(({ operation }) => operation !== HEALTH),
    minuteOf,
  );
  const lines = [...requests]
    .sort(([one], [other]) => one - other)
    .map(([minute, sent]) => {
      const times = sent
        .filter(({ status, lost }) => lost === null && status !== 503)
        .map(({ ms }) => ms)
        .sort((one, other) => one - other);
      const at = (share: number): string => `${times[Math.floor(times.length * share)] ?? 0} ms`;
      const failed = sent.length - times.length;
      const names = faults.filter(({ from }) => minuteOf({ at: from }) === minute).map(({ name }) => name);
      return `minute ${minute + 1}: ${sent.length} requests, p50 ${at(0.5)}, p99 ${at(0.99)}, ${failed} 503 or lost  ${names.join(', ')}`;
    });
  return lines.join('\n');
}
