import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createShares } from '../src/shares.ts';
import { withAdmin } from './support/database.ts';
import { backendOf, waitingBehind } from './support/held-row.ts';
import { expectError, startService } from './support/service.ts';
import { forSuite } from './support/suite.ts';
import { until } from './support/upload.ts';

/* The share of one caller: a few transactions at once, whatever the caller asks for. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const other = await service.furnishedTenant('Other');

test('of one caller’s requests four use the database at once, the others wait and get 429, and another caller’s does not wait', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients], { sub: 'busy' });
  const change = () =>
    service.ask(`PUT /api/sites/${own.sites}`, { token, body: { client_id: own.clients, site_name: 'A' } });
  await withAdmin(service.postgres.adminUrl, async (holder) => {
    const held = await backendOf(holder);
    await holder.query('begin');
    await holder.query(`select from public.sites where id = '${own.sites}' for update`);
    const running = Array.from({ length: 4 }, change);
    await until(async () => (await waitingBehind(service, held)) === 4);
    const late = await change();
    expectError(late, 'ERROR_RATE_LIMITED');
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
    const anothers = await service.token('ACCOUNT_MANAGER', [other.clients], { sub: 'another' });
    const answer = await service.ask(`GET /api/sites/${other.sites}`, { token: anothers });
    expect(answer.status).toBe(200);
    await holder.query('rollback');
    await Promise.all(running);
  });
  expect((await change()).status).toBe(200);
});

test('a holder’s tasks begin in their order, and a failed one makes room for the next', async () => {
  const shares = createShares(2);
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
