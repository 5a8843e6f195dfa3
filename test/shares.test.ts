import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { MAX_WAITING_TRANSACTIONS_PER_USER, TRANSACTIONS_PER_USER } from '../src/limits.ts';
import { Shares } from '../src/shares.ts';
import { withAdmin } from './support/database.ts';
import { backendOf, waitingBehind } from './support/held-row.ts';
import { expectError, startService } from './support/service.ts';
import { forSuite } from './support/suite.ts';
import { until } from './support/upload.ts';

/*
 * These tests check that one caller has only a few database transactions at once, so that other callers need not wait.
 */

let abortedRequests = 0;
const countAborted = (line: string): void => {
  if (line.includes('"aborted":true')) abortedRequests += 1;
};

const service = await forSuite(
  startService({ poolSize: TRANSACTIONS_PER_USER + 1, log: pino({}, { write: countAborted }) }),
);
const own = await service.furnishedTenant('Own');
const other = await service.furnishedTenant('Other');
const token = await service.token('ACCOUNT_MANAGER', [own.clients], { sub: 'busy' });

const change = (site_name = 'A') =>
  service.ask(`PUT /api/sites/${own.sites}`, { token, body: { client_id: own.clients, site_name } });

/**
 * Runs `attack` while one caller has as many database transactions as a caller can have at once, and all of them wait
 * for a lock.
 */
async function whileBusy(attack: () => Promise<void>): Promise<void> {
  await withAdmin(service.postgres.adminUrl, async (holder) => {
    const held = await backendOf(holder);
    await holder.query('begin');
    await holder.query(`select from public.sites where id = '${own.sites}' for update`);
    const running = Array.from({ length: TRANSACTIONS_PER_USER }, () => change());
    await until(async () => (await waitingBehind(service, held)) === TRANSACTIONS_PER_USER);
    let ended = 0;
    for (const one of running) void one.then(() => (ended += 1));
    await attack();
    expect(ended).toBe(0);
    await holder.query('rollback');
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  });
}

test('a caller’s fifth simultaneous transaction waits and gets 429, and a request of another caller does not wait', async () => {
  await whileBusy(async () => {
    const late = change();
    const anothers = await service.token('ACCOUNT_MANAGER', [other.clients], { sub: 'another' });
    expect((await service.ask(`GET /api/sites/${other.sites}`, { token: anothers })).status).toBe(200);
    expectError(await late, 'ERROR_RATE_LIMITED');
    expect(Number((await late).headers['retry-after'])).toBeGreaterThan(0);
  });
  expect((await change()).status).toBe(200);
});

test('the 101st waiting request of one caller gets 429 at once, and a waiting request whose caller hangs up never runs', async () => {
  const excess = 3;
  const [refused, body] = [[] as number[], JSON.stringify({ site_name: 'Lost' })];
  const ask = () =>
    request({
      ...{ host: '127.0.0.1', port: service.port, method: 'PUT', path: `/api/sites/${own.sites}`, agent: false },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
      .on('response', ({ statusCode = 0 }) => refused.push(statusCode))
      .on('error', () => undefined)
      .end(body);
  await whileBusy(async () => {
    const sent = Array.from({ length: MAX_WAITING_TRANSACTIONS_PER_USER + excess }, ask);
    await until(() => refused.length >= excess);
    expect(refused).toEqual(Array.from({ length: excess }, () => 429));
    const aborted = abortedRequests;
    for (const one of sent) one.destroy();
    await until(() => abortedRequests - aborted >= MAX_WAITING_TRANSACTIONS_PER_USER);
  });
  expect((await change('Kept')).status).toBe(200);
  const { text } = await service.ask(`GET /api/sites/${own.sites}/changes`, { token });
  expect(text).toContain('Kept');
  expect(text).not.toContain('Lost');
});

test('the database tasks of one caller begin in the order of arrival, and a failed task makes room for the next', async () => {
  const shares = new Shares({ each: { max: 2 } });
  const begun: number[] = [];
  const ends: PromiseWithResolvers<undefined>[] = [];
  const run = (index: number): Promise<undefined> => {
    const end = (ends[index] = Promise.withResolvers<undefined>());
    return shares.run('one', () => {
      begun.push(index);
      return end.promise;
    });
  };
  const [first, second, third, fourth] = [0, 1, 2, 3].map(run);
  expect(begun).toEqual([0, 1]);
  ends[1]?.reject(new Error('failed'));
  await expect(second).rejects.toThrow('failed');
  await setImmediate();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.resolve(undefined);
  await first;
  await setImmediate();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.resolve(undefined);
  ends[3]?.resolve(undefined);
  await Promise.all([third, fourth]);
});
