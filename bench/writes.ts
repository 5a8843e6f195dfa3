/**
 * Measures what a write costs Postgres: the functions, triggers, policies and indexes of an earlier revision against
 * those of this checkout. Both databases are on one server, and the same statements run on them in turns.
 *
 *   npx node bench/writes.ts 3b14452
 *   npx node bench/writes.ts 3b14452 --months 24     with an audit log of 24 earlier, empty months
 *
 * The cost is the processor time of the backend that does the work, as Linux counts it, without Node, the network and
 * other processes.
 */
import { parseArgs } from 'node:util';
import { createTestDatabase, createEmptyDatabase, withAdmin } from '../test/support/database.ts';
import setUp from '../test/support/global-setup.ts';
import tearDown from '../test/support/global-teardown.ts';
import { short, table } from './measure.ts';
import { migrateTo } from './writes/earlier.ts';
import { makePastMonths } from './months.ts';
import { fill } from './writes/rows.ts';
import { openSide, type Side } from './writes/side.ts';
import { WORK } from './writes/work.ts';

const TURNS = 25;
const CALLS = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { months: { type: 'string', default: '0' } },
});
const [revision] = positionals;
if (revision === undefined) throw new Error('Name the revision to compare with: npx node bench/writes.ts 3b14452');

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/**
 * Returns the microseconds that Postgres spends on one call in each of the two compared databases. The databases take
 * turns, and the first turns do not count.
 */
async function compare(sides: readonly [Side, Side], name: string): Promise<readonly [number, number]> {
  const taken: [number[], number[]] = [[], []];
  for (let turn = -3; turn < TURNS; turn++) {
    // The two compared databases swap their order in each turn, because the second of two calls takes longer in either
    // database.
    for (const index of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const side = sides[index];
      const before = await side.spent();
      for (let call = 0; call < CALLS; call++) await side.work(name);
      if (turn >= 0) taken[index].push(((await side.spent()) - before) / CALLS);
    }
  }
  return [median(taken[0]), median(taken[1])];
}

await setUp();
try {
  const databases = [await createEmptyDatabase(), await createTestDatabase()] as const;
  await migrateTo(revision, databases[0].adminUrl);
  await withAdmin(databases[1].adminUrl, (admin) => makePastMonths(admin, Number(values.months)));
  for (const { adminUrl } of databases) await withAdmin(adminUrl, fill);
  const sides = [await openSide(databases[0]), await openSide(databases[1])] as const;

  const rows: string[][] = [];
  for (const name of Object.keys(WORK)) {
    const [before, after] = await compare(sides, name);
    rows.push([name, short(before), short(after), (after / before).toFixed(2)]);
  }
  console.log(`Postgres ${await sides[1].serverVersion()}`);
  console.log(table(['µs of Postgres', revision, 'now', 'ratio'], rows));
  console.log(`${revision}: ${await sides[0].footprint()}`);
  console.log(`now: ${await sides[1].footprint()}`);

  for (const side of sides) await side.close();
  for (const database of databases) await database.close();
} finally {
  await tearDown();
}
