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
 * Two or three valid requests run at the same time, in every order. After each such group, all rules in
 * `invariants-of-*.ts` must hold.
 */

const LANES = 3;
/**
 * The environment variable RACES_LIKE is a pattern. The test then runs only groups of simultaneous requests in which a
 * request’s name matches it.
 */
const LIKE = new RegExp(process.env['RACES_LIKE'] ?? '');
/**
 * With the environment variable RACES_PART=1/2 the test runs only the first half of all groups of simultaneous
 * requests.
 */
const [PART = 1, PARTS = 1] = (process.env['RACES_PART'] ?? '1/1').split('/').map(Number);
/**
 * After this time in milliseconds the test begins no further group of simultaneous requests. The groups that it runs
 * are a sample, which the number `TEST_DAY` determines.
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

test('each request that npm run proofs -- races sends has its own name, and succeeds if no other request runs', () => {
  expect(measured.filter(({ status }) => status >= 300)).toEqual([]);
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
});

test('after any two or three simultaneous requests in any order, the rows, audit records and users’ rights are correct', async () => {
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
