import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestIdentity } from '../support/identity.ts';
import type { TestIdentity } from '../support/identity.ts';
import { BREAKAGES } from './breakages.ts';
import { lookedAt, lookedAtBroken } from './broken.ts';
import { allChannels, objectionsToChannels, statedChannels, unstatedInPostgres } from './channels.ts';
import { nothingYet } from './compare.ts';
import { draw } from './draw.ts';
import { makeLogins } from './logins.ts';
import type { Logins } from './logins.ts';
import { byHand, madeUp } from './requests.ts';
import { compareActs, compareStatements, openRound, ready, statementsOf } from './round.ts';
import type { Opened } from './round.ts';
import { SMALL } from './variants.ts';

/**
 * This suite sends every 29th SQL statement and every 41st group of requests. `npm run proofs -- interference` sends
 * all of them.
 */
const STATEMENTS = 29;
const ACTS = 41;
/** A group of requests that this suite always sends, because the service answers some of them with 409. */
const WITH_CONFLICTS = 'admin creates, changes and deletes a record of /api/invoices';
const MADE_UP = 100;
const OF_POSTGRES = 7;

/** The time limit of a test on a busy machine, in milliseconds. */
const BUSY_MS = 300_000;

let identity: TestIdentity;
let logins: Logins;
let opened: Opened;

beforeAll(async () => {
  identity = await startTestIdentity();
  logins = await makeLogins();
  opened = await openRound(SMALL, identity, logins);
  await ready(opened);
}, BUSY_MS);
afterAll(async () => {
  await opened.close();
  await identity.stop();
});

describe('two databases that differ only in the rows of other tenants', () => {
  test(
    'an API caller and a database login get the same bytes from two databases that differ only in other tenants’ rows',
    async () => {
      const sum = nothingYet();
      const acts = byHand.filter(({ name }, index) => index % ACTS === 0 || name === WITH_CONFLICTS);
      await compareStatements(opened, await statementsOf(opened, { oneIn: STATEMENTS }), sum);
      await compareActs(opened, [...acts, ...madeUp(MADE_UP)], sum);
      expect(sum.differences).toEqual([]);
      // The answers must include rows and refusals, because equal empty answers would prove nothing.
      const outcomes = [...sum.outcomes.keys()];
      expect(outcomes).toEqual(expect.arrayContaining(['200', '201', '400', '403', '404', '409', 'rows', '42501']));
      expect(sum.statements).toBeGreaterThan(60);
      expect(sum.requests).toBeGreaterThan(200);
    },
    BUSY_MS,
  );

  test('a BI login learns about other tenants from a relation or function of Postgres only if docs/channels.md names it', async () => {
    expect(await unstatedInPostgres(opened, OF_POSTGRES)).toEqual([]);
  });

  test('in each of the ways that docs/channels.md lists, a caller learns about other tenants only what that page says', async () => {
    expect(await objectionsToChannels(opened)).toEqual([]);
  });

  test.each(draw('breakages', BREAKAGES))(
    'the comparison of two databases with different tenants notices this leak, which the test creates on purpose: $name',
    async (breakage) => {
      expect((await lookedAtBroken(opened, breakage)).differences).not.toEqual([]);
      expect((await lookedAt(opened, breakage)).differences).toEqual([]);
    },
  );
});

test('docs/channels.md lists every tested way in which a caller learns about other tenants, with the amount of information', async () => {
  const channels = allChannels(logins).map(({ name, size }) => ({ name, size }));
  expect(channels.length).toBeGreaterThan(20);
  expect(await statedChannels()).toEqual(channels);
});
