import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { createMetricsServer } from '../../src/metrics/server.ts';
import { identityChangesOf } from '../../src/db/identity-changes.ts';
import { ask } from '../support/http.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const figure = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);

test('the metrics tell what the provider does not know yet, and since when; nothing else is served there', async () => {
  const changes = identityChangesOf(service.database);
  let isAway = false;
  const server = createMetricsServer(
    createMetrics({
      undelivered: () => (isAway ? Promise.reject(new Error('away')) : changes.undelivered()),
    }),
  );
  const port = await server.listen(0, '127.0.0.1');
  const read = async () => (await ask(port, 'GET /metrics')).text;
  const figures = async () => {
    const text = await read();
    return ['undelivered', 'oldest_seconds'].map((name) =>
      figure(text, `taxclaims_identity_changes_${name}`),
    );
  };

  expect(await figures()).toEqual([0, 0]);
  const tenant = await service.furnishedTenant('Own');
  await service.admin(
    `update public.identity_changes set created_at = now() - interval '2 days' where user_id = $1`,
    [tenant.users],
  );
  const [count, oldest] = await figures();
  expect(count).toBe(1);
  expect(oldest).toBeGreaterThan(2 * 86_400 - 1);
  isAway = true;
  expect(await figures()).toEqual([NaN, NaN]);
  expect(figure(await read(), 'process_cpu_seconds_total')).toBeGreaterThan(0);

  expect((await ask(port, 'GET /')).status).toBe(404);
  expect((await ask(port, 'POST /metrics')).status).toBe(405);
  expect((await ask(port, 'GET /metrics')).headers).toMatchObject({ 'cache-control': 'no-store' });
  await server.close();
});
