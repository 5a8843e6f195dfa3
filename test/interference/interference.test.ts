import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../support/day.ts';
import { startTestIdentity } from '../support/identity.ts';
import type { TestIdentity } from '../support/identity.ts';
import { BREAKAGES } from './breakages.ts';
import { lookedAt, lookedAtBroken } from './broken.ts';
import { allChannels, objectionsToChannels, statedChannels, unstatedInPostgres } from './channels.ts';
import { nothingYet } from './compare.ts';
import { makeLogins } from './logins.ts';
import type { Logins } from './logins.ts';
import { byHand, madeUp } from './requests.ts';
import { compareActs, compareStatements, openRound, ready, statementsOf } from './round.ts';
import type { Opened } from './round.ts';
import { SMALL } from './variants.ts';

/** Of everything that is asked one in so many, always the same ones; `npm run proofs -- interference` asks all of it. */
const STATEMENTS = 29;
const ACTS = 41;
/** Which is asked whatever the sample is: its moves are refused as conflicts. */
const WITH_CONFLICTS = 'the life of one of /api/invoices by admin';
const MADE_UP = 100;
const OF_POSTGRES = 7;

/** On a machine that does much else. */
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

describe('two databases that differ in the rows of others', () => {
  test(
    'answer everybody’s requests and the SQL of every login byte for byte alike',
    async () => {
      const sum = nothingYet();
      const acts = byHand.filter(({ name }, index) => index % ACTS === 0 || name === WITH_CONFLICTS);
      await compareStatements(opened, await statementsOf(opened, { oneIn: STATEMENTS }), sum);
      await compareActs(opened, [...acts, ...madeUp(MADE_UP)], sum);
      expect(sum.differences).toEqual([]);
      // Not for nothing: they were given something, and refused something.
      const outcomes = [...sum.outcomes.keys()];
      expect(outcomes).toEqual(expect.arrayContaining(['200', '201', '400', '403', '404', '409', 'rows', '42501']));
      expect(sum.statements).toBeGreaterThan(60);
      expect(sum.requests).toBeGreaterThan(200);
    },
    BUSY_MS,
  );

  test('tell nothing of others by what Postgres itself shows but what docs/channels.md names', async () => {
    expect(await unstatedInPostgres(opened, OF_POSTGRES)).toEqual([]);
  });

  test('tell of others by what docs/channels.md states, and by all of it', async () => {
    expect(await objectionsToChannels(opened)).toEqual([]);
  });

  test.each(sampledByDay(BREAKAGES))('are told apart where $name', async (breakage) => {
    expect((await lookedAtBroken(opened, breakage)).differences).not.toEqual([]);
    expect((await lookedAt(opened, breakage)).differences).toEqual([]);
  });
});

test('docs/channels.md has a line for every channel, with its size', async () => {
  const channels = allChannels(logins).map(({ name, size }) => ({ name, size }));
  expect(channels.length).toBeGreaterThan(20);
  expect(await statedChannels()).toEqual(channels);
});
