import { expect, test } from '@jest/globals';
import pg from 'pg';
import { LOST, resultOf } from '../../deploy/check/accounts.ts';
import { connected, withAdmin } from '../support/database.ts';
import { until } from '../support/upload.ts';
import { check, fill, fixtureOf, UNTOUCHED } from './account.ts';
import type { Violation } from './account.ts';
import { CHECKS } from './checks.ts';
import { DAMAGES } from './damages.ts';
import { readJournal } from './journal.ts';
import { startLoad } from './load-process.ts';
import { OPERATIONS } from './load/operations.ts';
import { openRun } from './server-of-the-run.ts';
import { SERVES, serving } from './serving.ts';
import { openWorld } from './world.ts';
import { rightsIn, settle, settleParts } from './trial.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Checks compare the database with the requests of a load test. They report nothing after a load test without a fault,
 * and each check reports stored rows that the test damages.
 */

const SEED = 7;

const run = await forSuite(openRun());
const world = await forSuite(openWorld(run.cluster));
const fixture = await withAdmin(world.adminUrl, fixtureOf);
const { port } = world.service;
const plan = { port, seed: SEED, people: world.people, without: [], ...rightsIn(world) };
const load = await startLoad(world.folder, plan);
const expected = OPERATIONS.filter(({ weight, name }) => weight > 0 && name !== 'read with a new key');
await until(async () => {
  const names = new Set((await readJournal(load.journal)).map(({ operation }) => operation));
  return expected.every(({ name }) => names.has(name));
});
// Setting up the load test waits until the rights of some users have changed several times and tokens were used between
// the changes.
const changed = `select from public.identity_changes group by user_id having count(*) > 3`;
await until(async () => (await world.admin(changed)).length > 2);
const entries = await load.finish();
await settle(world, entries);
await settleParts(world);
const admin = await forSuite(connected(world.adminUrl));
await fill(admin, {
  fixture,
  entries,
  contents: [...(await world.contents()), ...(await world.halfWritten())],
  spared: [],
  parts: world.parts,
});

test('after a load test without a fault, which sends every operation, the checks of the database report no violation', async () => {
  expect(await check(admin)).toEqual([]);
  expect(entries.length).toBeGreaterThan(100);
});

test('test/faults/damages.sql has SQL that violates each check of the load test once', () => {
  const checked = new Set(DAMAGES.map((damage) => damage.check));
  expect([...checked].sort()).toEqual([...Object.keys(CHECKS), UNTOUCHED].sort());
});

test.each(DAMAGES.map((damage) => [damage.what, damage] as const))(
  'after a load test, the checks of the database report %s',
  async (_what, damage) => {
    const session = new pg.Client({ connectionString: world.adminUrl, application_name: 'taxclaims-api' });
    await session.connect();
    let found: Violation[] = [];
    try {
      await admin.query('begin; set local session_replication_role = replica');
      await session.query(damage.session);
      await admin.query(damage.sql);
      found = await check(admin);
    } finally {
      await admin.query('rollback');
      await session.end();
    }
    expect(found.map((violation) => violation.check)).toContain(damage.check);
    // deploy:check counts a damaged row as a lost write, in a column of its table.
    const { lost, named } = resultOf(entries, found, 0);
    if (LOST.has(damage.check)) {
      expect(lost).toBeGreaterThan(0);
      expect(named?.[damage.check]).toBeGreaterThan(0);
    }
  },
);

test('the fault test reports a service whose process has ended although the fault must not end it', async () => {
  const { pid } = world.service;
  expect(await serving(world, { pid, endsService: false })).toEqual([]);
  world.service.signal('SIGKILL');
  await world.service.ended();
  expect((await serving(world, { pid, endsService: false })).map((one) => one.check)).toContain(SERVES);
});
