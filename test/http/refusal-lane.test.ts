import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { healthOnce } from '../support/health.ts';
import { waiting } from '../support/held-row.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/upload.ts';
import { connected } from '../support/database.ts';

/*
 * These tests check that refusals and the health check do not wait for locks or database connections of other requests.
 */

let service: Service;
let holder: pg.Client;

beforeEach(async () => {
  service = await startService();
  holder = await connected(service.postgres.adminUrl);
});
afterEach(async () => {
  await holder.end();
  await service.close();
});

/** Locks a table in a transaction of its own; the default mode blocks reads as well as writes. */
const hold = (table: string, mode = 'access exclusive') => holder.query(`begin; lock table ${table} in ${mode} mode`);

/** Returns, for each of the given HTTP responses, the number of audit records of its request. */
async function recordsOf(answers: readonly { readonly headers: object }[]): Promise<unknown[]> {
  const ids = answers.map(({ headers }) => String(Reflect.get(headers, 'x-request-id')));
  const rows = await service.sql`select request_id, count(*)::integer as records from public.audit_logs
    where request_id = any (${ids}) group by 1`;
  const counts = new Map(rows.map((row) => [row['request_id'], row['records']]));
  return ids.map((id) => counts.get(id) ?? 0);
}

describe('the service answers refusals and reads while the audit log is locked', () => {
  test('while the audit log is locked, refusals and reads are answered, and each refusal is audited once afterwards', async () => {
    const { clients } = await service.tenant('Own');
    const token = await service.token('CLIENT', [clients]);
    await hold('public.audit_logs', 'exclusive');
    const strangers = Array.from({ length: 40 }, () => service.ask('GET /api/clients'));
    const readers = Array.from({ length: 20 }, () => service.ask('GET /api/clients', { token }));
    const foreign = service.ask(`GET /api/clients/${'0'.repeat(8)}-0000-4000-8000-000000000000`, { token });
    const refused = await Promise.all(strangers);
    for (const answer of refused) expectError(answer, 'ERROR_UNAUTHORIZED');
    for (const answer of await Promise.all(readers)) expect(answer.status).toBe(200);
    expectError(await foreign, 'ERROR_FORBIDDEN');
    expect((await service.ask('GET /health')).status).toBe(200);
    const all = [...refused, await foreign];
    expect(await recordsOf(all)).toEqual(all.map(() => 0));
    await holder.query('rollback');
    await until(async () => (await recordsOf(all)).every((count) => count !== 0));
    expect(await recordsOf(all)).toEqual(all.map(() => 1));
  });

  test('while the audit log is locked and the disk is unusable, a request without a token gets 503', async () => {
    await hold('public.audit_logs');
    await rm(join(service.dataDir, 'refusals'), { recursive: true });
    await writeFile(join(service.dataDir, 'refusals'), '');
    const answer = await service.ask('GET /api/clients');
    expectError(answer, 'ERROR_UNAVAILABLE');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    await holder.query('rollback');
    await until(async () => (await service.ask('GET /api/clients')).status === 401);
  });
});

describe('the service answers refusals and /health while all other requests wait', () => {
  test('while requests occupy all database connections, refusals are audited before their answer and /health gets 200', async () => {
    const { clients } = await service.tenant('Own');
    const token = await service.token('CLIENT', [clients]);
    await hold('public.clients');
    const readers = Array.from({ length: 10 }, () => service.ask('GET /api/clients', { token }));
    // Ten requests read, and the service of this test has four database connections for requests. So six of the ten
    // wait for a connection.
    await until(async () => (await waiting(service)) === 4);
    const refused = await Promise.all([
      service.ask('GET /api/clients'),
      service.ask('POST /api/clients', { token, body: {} }),
      service.ask(`GET /api/clients/${'0'.repeat(8)}-0000-4000-8000-000000000000`, { token }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 403]);
    expect(await recordsOf(refused)).toEqual([1, 1, 1]);
    expect((await service.ask('GET /health')).status).toBe(200);
    expect((await service.ask('GET /')).status).toBe(200);
    await holder.query('rollback');
    for (const answer of await Promise.all(readers)) expect(answer.status).toBe(200);
  });
});

test('every request for /health gets 503 while the health check’s own query waits for a database lock', async () => {
  await service.ask('GET /health');
  await hold('pg_catalog.pg_class');
  await healthOnce(service, 503);
  const answers = await Promise.all(Array.from({ length: 20 }, () => service.ask('GET /health')));
  for (const answer of answers) expectError(answer, 'ERROR_UNAVAILABLE');
  await holder.query('rollback');
  await healthOnce(service, 200);
});
