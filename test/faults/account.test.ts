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
 * A load test sends real requests to the service. Afterwards, SQL checks compare the database with these requests. The
 * checks report nothing if no failure happened, and each check reports the rows that this test damages on purpose.
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
// The load test runs until several users got other rights more than three times, so that the checks have changes of
// rights to compare.
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

test('the checks of the database report nothing after a load test that sent every kind of request and caused no failure', async () => {
  expect(await check(admin)).toEqual([]);
  expect(entries.length).toBeGreaterThan(100);
});

test('for each check that runs after a load test, test/faults/damages.sql damages the database in a way that the check must report', () => {
  const checked = new Set(DAMAGES.map((damage) => damage.check));
  expect([...checked].sort()).toEqual([...Object.keys(CHECKS), UNTOUCHED].sort());
});

test.each(DAMAGES.map((damage) => [damage.what, damage] as const))(
  'the checks that compare the database with the requests of a load test report %s',
  async (_what, damage) => {
    const session = new pg.Client({ connectionString: world.adminUrl, application_name: 'taxclaims-api' });
    await session.connect();
    let found: Violation[] = [];
    try {
      await admin.query(
        `begin; set local session_replication_role = replica;
         alter table public.audit_logs disable trigger audit_logs_append_only`,
      );
      await session.query(damage.session);
      await admin.query(damage.sql);
      found = await check(admin);
    } finally {
      await admin.query('rollback');
      await session.end();
    }
    expect(found.map((violation) => violation.check)).toContain(damage.check);
    // The command deploy:check must count this damage as a lost write, too.
    const { lost, named } = resultOf(entries, found, 0);
    if (LOST.has(damage.check)) {
      expect(lost).toBeGreaterThan(0);
      expect(named?.[damage.check]).toBeGreaterThan(0);
    }
  },
);

test('if a failure must not end the service, the test of this failure reports a service whose process has ended', async () => {
  const { pid } = world.service;
  expect(await serving(world, { pid, endsService: false })).toEqual([]);
  world.service.signal('SIGKILL');
  await world.service.ended();
  expect((await serving(world, { pid, endsService: false })).map((one) => one.check)).toContain(SERVES);
});
