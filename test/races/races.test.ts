import { afterAll, expect, test } from '@jest/globals';
import { allEndpoints } from '../../src/resources/index.ts';
import { ROWS } from '../resources/access.ts';
import { DAY, shuffledByDay } from '../support/day.ts';
import { runAll } from './all-races.ts';
import { openLane } from './lane.ts';
import type { Lane } from './lane.ts';
import { measure } from './measure.ts';
import type { Measured } from './measure.ts';
import { OPERATIONS } from './operations.ts';
import { planOf } from './plan.ts';
import type { Race } from './race.ts';
import { report, reportUnavailable } from './report.ts';

/*
 * Two or three valid requests run at the same time, in every order. After each such race, all invariants in
 * `invariants-of-*.ts` must hold.
 */

const LANES = 3;
/** The environment variable RACES_LIKE limits the test to races with a request whose name matches the pattern. */
const LIKE = new RegExp(process.env['RACES_LIKE'] ?? '');
/** The environment variable RACES_PART=1/2 limits the test to the first of two parts of the races. */
const [PART = 1, PARTS = 1] = (process.env['RACES_PART'] ?? '1/1').split('/').map(Number);
/**
 * The milliseconds after which the test begins no further race. The tested races are a sample, which depends on
 * `TEST_DAY`.
 */
const LONGEST_MS = Number(process.env['RACES_MINUTES'] ?? 8) * 60_000;

function isChosen({ members }: Race, index: number): boolean {
  return index % PARTS === PART - 1 && members.some(({ operation }) => LIKE.test(operation.name));
}

const NO_RECORD = ROWS.filter(({ writesNothing }) => writesNothing).map(({ line }) => line);
const WRITING = allEndpoints
  .filter(({ method }) => method !== 'get')
  .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  .filter((line) => !NO_RECORD.includes(line));

const first = await openLane();
const lanes: readonly Lane[] = [first, ...(await Promise.all(Array.from({ length: LANES - 1 }, openLane)))];
const all: Measured[] = [];
for (const operation of OPERATIONS) all.push(await measure(first, operation));
const measured = all;
const plan = planOf(all);

afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

test.each(WRITING)('npm run proofs -- races tests the endpoint %s with simultaneous requests', (line) => {
  expect(OPERATIONS.map(({ endpoint }) => endpoint)).toContain(line);
  const races = plan.races.filter(({ members }) => members.some(({ operation }) => operation.endpoint === line));
  expect(races).not.toEqual([]);
});

test('each request that the proof races sends succeeds if no other request runs, and has its own name', () => {
  expect(measured.filter(({ status }) => status >= 300)).toEqual([]);
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
});

test('the rows, audit records and rights are right after any two or three simultaneous requests in any order', async () => {
  const races = shuffledByDay(plan.races.filter(isChosen));
  const end = Date.now() + LONGEST_MS;
  const results = await runAll(lanes, races, () => Date.now() > end);
  const counts = [
    `${OPERATIONS.length} operations, ${plan.pairs} pairs, ${plan.triples} triples`,
    `${results.races} of ${plan.races.length} interleavings (${races.length} chosen) with ${results.requests} requests`,
    `${results.unavailable.length} interleavings with a 503`,
    `${results.found.length + results.atRest.length} violations`,
  ];
  process.stdout.write(`${counts.join('; ')}\n${reportUnavailable(results)}\n`);
  const text = report(results);
  if (text !== '') throw new Error(`TEST_DAY=${DAY}: ${counts.join('; ')}\n\n${text}`);
}, 3_600_000);
