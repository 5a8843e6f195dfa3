/**
 * Measures what every order and every filter of every list costs, by the number of the caller’s clients. The statements
 * and their settings are those that the service sends.
 *
 *   npx node bench/lists/run.ts [rounds] [the last word of a path …]
 */
import { basename } from 'node:path/posix';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { withAdmin } from '../../test/support/database.ts';
import { createLogin, dropLogin, openBenchServer } from '../database.ts';
import { short, table } from '../measure.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import { callersOf, type ListCaller } from './callers.ts';
import { casesOf, inputOf, type ListEndpoint, LISTS, sampleOf } from './cases.ts';
import { listsDatabase } from './fill.ts';

const LOGIN = 'bench_lists';

/** The time that the SQL statements of the lists use as the present: the day after the newest row. */
const NOW = "timestamp with time zone '2026-01-01 00:00:00+00'";

/** An SQL statement that takes longer than this many milliseconds is measured in fewer rounds. */
const LONG_MS = 400;
const LONG_ROUNDS = 3;

interface Measured {
  readonly caller: string;
  readonly name: string;
  readonly once: () => Promise<unknown>;
  readonly times: number[];
  /**
   * The processor time, in milliseconds, that Postgres spends on each execution of an SQL statement without parallel
   * workers.
   */
  readonly work: number[];
}

const [rounds = '9', ...wanted] = process.argv.slice(2);
const server = await openBenchServer(process.env);
const adminUrl = await listsDatabase(server);
const database = openDatabase({
  url: await createLogin(adminUrl, LOGIN, 'in role taxclaims_api'),
  poolSize: 1,
  statementTimeoutMs: 60_000,
  preparedStatements: true,
  log: pino({ level: 'silent' }),
});
try {
  const callers = await callersOf(adminUrl);
  for (const list of LISTS.filter(({ path }) => wanted.length === 0 || wanted.includes(basename(path)))) {
    const measured = (await Promise.all(callers.map((caller) => measuredOf(list, caller, database)))).flat();
    await measureInTurns(measured, Number(rounds));
    print(list, measured, callers);
  }
} finally {
  await database.close();
  await dropLogin(adminUrl, LOGIN);
  await server.close();
}

async function measuredOf(list: ListEndpoint, caller: ListCaller, on: Database): Promise<Measured[]> {
  const { sample, total } = await withAdmin(adminUrl, (admin) => sampleOf(admin, list, caller.clients));
  return casesOf(list, sample, total).map(({ name, query }) => {
    const input = inputOf(list, query);
    const request = caller.request(list.client?.(input));
    const { records } = list.list(input, caller.request(undefined).caller);
    const statement = { ...records, text: records.text.replaceAll('pg_catalog.now()', NOW) };
    return {
      ...{ caller: caller.name, name, times: [], work: [] },
      once: () => on.run(request, [statement]),
    };
  });
}

/**
 * Measures all SQL statements of the lists in turns. The first rounds do not count, because they prepare statements and
 * choose generic plans.
 */
async function measureInTurns(measured: readonly Measured[], count: number): Promise<void> {
  await measured[0]?.once();
  const backends = await withAdmin(adminUrl, (admin) => backendsOf(admin, LOGIN));
  for (let round = -7; round < count; round += 1) {
    for (const { once, times, work } of measured) {
      if (times.length >= LONG_ROUNDS && times.some((time) => time > LONG_MS)) continue;
      const [start, worked] = [performance.now(), processorTime(backends)];
      await once();
      const time = performance.now() - start;
      if (round < 0 && time < LONG_MS) continue;
      times.push(time);
      work.push(processorTime(backends) - worked);
    }
  }
}

/**
 * Prints the median and the 99th percentile of the times of each SQL statement, or the longest time of a statement that
 * ran fewer than a hundred times.
 */
function print({ path }: ListEndpoint, measured: readonly Measured[], callers: readonly ListCaller[]): void {
  const names = [...new Set(measured.map(({ name }) => name))];
  const cell = (caller: string, name: string): string => {
    const found = measured.find((one) => one.caller === caller && one.name === name);
    if (found === undefined) return '';
    return `${at(found.times, 0.5)} / ${at(found.times, 0.99)} (${at(found.work, 0.5)})`;
  };
  console.log(`\n${path}: milliseconds, median / p99 (processor time of Postgres, median)\n`);
  console.log(
    table(
      ['', ...callers.map(({ name }) => name)],
      names.map((name) => [name, ...callers.map((caller) => cell(caller.name, name))]),
    ),
  );
}

function at(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return short(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
}
