import { expect, test } from '@jest/globals';
import { ask, askRaw } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/upload.ts';
import { figuresAt, sumOf } from './figures.ts';
import { forSuite } from '../support/suite.ts';
import { connected } from '../support/database.ts';

const service = await forSuite(startService({ metrics: { cacheMs: 0 }, limits: { perUser: 40, perIp: 100_000 } }));

const figures = () => figuresAt(service.metricsPort);
const count = async (name: string, labels: Record<string, string> = {}) => sumOf(await figures(), name, labels);
const REQUESTS = 'taxclaims_http_request_duration_seconds_count';

/** Returns how much a metric grows during `work`, and until the service has counted the requests of `work`. */
async function growth(name: string, labels: Record<string, string>, work: () => Promise<unknown>): Promise<number> {
  const before = await count(name, labels);
  await work();
  await until(async () => (await count('taxclaims_http_requests_in_flight')) === 0);
  return (await count(name, labels)) - before;
}

test('the metrics server serves only GET /metrics', async () => {
  const at = service.metricsPort;
  expect((await ask(at, 'GET /')).status).toBe(404);
  expect((await ask(at, 'POST /metrics')).status).toBe(405);
  expect((await ask(at, 'GET /metrics')).headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(await count('process_cpu_seconds_total')).toBeGreaterThan(0);
});

test('the metrics show how many changes of users’ rights the identity provider has not received, and the age of the oldest change', async () => {
  const values = async () => [
    await count('taxclaims_identity_changes_undelivered'),
    await count('taxclaims_identity_changes_oldest_seconds'),
  ];
  expect(await values()).toEqual([0, 0]);
  const tenant = await service.furnishedTenant('Own');
  await service.sql`update public.identity_changes set created_at = now() - interval '2 days'
    where user_id = ${tenant.users}`;
  const [changes, oldest] = await values();
  expect(changes).toBe(1);
  expect(oldest).toBeGreaterThan(2 * 86_400 - 1);
});

test('the metrics show for how many reasons the service refuses to work with its database', async () => {
  const objections = () => count('taxclaims_database_objections');
  expect(await objections()).toBe(0);
  await service.admin('alter table public.documents disable row level security');
  expect(await objections()).toBeGreaterThan(0);
  await service.admin('alter table public.documents enable row level security');
  expect(await objections()).toBe(0);
});

test('the metrics show how many files of deleted documents the document store has still to delete, and the age of the oldest', async () => {
  await service.admin(
    `insert into app.content_removals (file_path, due_at)
     values ('due', now() - interval '2 hours'), ('planned', now() + interval '1 hour')`,
  );
  expect(await count('taxclaims_document_removals_due')).toBe(1);
  expect(await count('taxclaims_document_removals_oldest_seconds')).toBeGreaterThan(7_199);
});

test('pg_stat_activity shows the id of a request that waits in Postgres, and no longer shows the id after the request', async () => {
  const lock = await connected(service.postgres.adminUrl);
  await lock.query('begin; lock table public.clients in access exclusive mode');
  const asked = service.ask('GET /api/clients', { token: await service.token('ADMIN') });
  const sessions = `select application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'taxclaims-api%'`;
  let waiting: unknown[] = [];
  while (waiting.length === 0) waiting = await service.admin(`${sessions} and wait_event_type = 'Lock'`);
  await lock.end();
  const { status, headers } = await asked;
  expect(status).toBe(200);
  expect(waiting).toEqual([{ name: `taxclaims-api ${String(headers['x-request-id'])}` }]);
  const left = await service.admin(sessions);
  expect(new Set(left.map(({ name }) => name))).toEqual(new Set(['taxclaims-api']));
});

test('the metrics count a request by route template, method, role and status', async () => {
  const { clients } = await service.tenant('Counted');
  const token = await service.token('ACCOUNT_MANAGER', [clients]);
  const labels = { route: '/api/clients/{clientId}', method: 'GET', role: 'ACCOUNT_MANAGER', status: '200' };
  const asking = () => service.ask(`GET /api/clients/${clients}`, { token });
  expect(await growth(REQUESTS, labels, asking)).toBe(1);
  expect(await growth('taxclaims_authorization_duration_seconds_count', { role: labels.role }, asking)).toBe(1);
  expect(await growth('taxclaims_database_wait_seconds_count', { lane: 'requests' }, asking)).toBe(1);
  const { text } = await ask(service.metricsPort, 'GET /metrics');
  expect(text).not.toContain(clients);
  expect(text).not.toContain('idp|');
});

test('the metrics count a request that the service refuses before routing under its route template', async () => {
  const labels = { route: '/api/clients/{clientId}', method: 'GET', role: 'anonymous', status: '401' };
  expect(await growth(REQUESTS, labels, () => service.ask('GET /api/clients/1'))).toBe(1);
});

test('the metrics count a refused request by the reason of its refusal', async () => {
  const own = await service.tenant('Own');
  const foreign = await service.tenant('Foreign');
  const token = await service.token('CLIENT', [own.clients]);
  const refusals = 'taxclaims_refusals_total';
  const refused = (kind: string, line: string, as?: string) =>
    growth(refusals, { kind }, () => service.ask(line, as === undefined ? {} : { token: as }));
  expect(await refused('no_token', 'GET /api/clients')).toBe(1);
  expect(await refused('bad_token', 'GET /api/clients', 'x.y.z')).toBe(1);
  expect(await refused('role', 'GET /api/audit-logs', token)).toBe(1);
  expect(await refused('client', `GET /api/clients/${foreign.clients}`, token)).toBe(1);
  expect(await refused('record', `GET /api/sites/${foreign.sites}`, token)).toBe(1);
  expect(await growth(refusals, { kind: 'other' }, () => service.ask('GET /api/clients'))).toBe(0);
});

test('the metrics count a request that exceeds a rate limit under the name of the limit', async () => {
  const token = await service.token('TAX_SPECIALIST', [], { sub: 'idp|eager' });
  const asking = async () => {
    for (let asked = 0; asked < 41; asked += 1) await service.ask('GET /api/clients', { token });
  };
  expect(await growth('taxclaims_rate_limited_total', { limiter: 'user' }, asking)).toBe(1);
});

test('the metrics count a request that gets 503 under the cause of the 503', async () => {
  const unavailable = (cause: string, change: string, undo: string) =>
    growth('taxclaims_unavailable_total', { cause }, async () => {
      await service.admin(change);
      const token = await service.token('ADMIN', [], { sub: `idp|${cause}` });
      expect((await service.ask('GET /api/partners', { token })).status).toBe(503);
      await service.admin(undo);
    });
  const renamed = ['partners rename to partners_away', 'partners_away rename to partners'];
  const [away = '', undo = ''] = renamed.map((words) => `alter table public.${words}`);
  expect(await unavailable('schema', away, undo)).toBe(1);
});

test('the metrics count a malformed HTTP request under the error by which the service refuses the request', async () => {
  const why = 'taxclaims_http_connections_refused_total';
  const close = 'Connection: close\r\n\r\n';
  const send = (bytes: string) => () => askRaw(service.port, bytes);
  expect(await growth(why, { why: 'ERROR_VALIDATION' }, send('nonsense\r\n\r\n'))).toBe(1);
  expect(await growth(why, { why: 'ERROR_VALIDATION' }, send(`GET / HTTP/1.1\r\n${close}`))).toBe(1);
  const long = `GET /${'x'.repeat(9_000)} HTTP/1.1\r\nHost: here\r\n${close}`;
  expect(await growth(why, { why: 'ERROR_URI_TOO_LONG' }, send(long))).toBe(1);
});

test('the request duration in the metrics is at most the time that the caller waits', async () => {
  const token = await service.token('CLIENT');
  const before = performance.now();
  const lasted = await growth('taxclaims_http_request_duration_seconds_sum', {}, () =>
    service.ask('GET /api/clients', { token }),
  );
  expect(lasted).toBeGreaterThan(0);
  expect(lasted).toBeLessThan((performance.now() - before) / 1_000);
});

test('the duration of a request’s authorization in the metrics is shorter than the duration of the whole request', async () => {
  const token = await service.token('ADMIN');
  await service.ask('GET /api/clients', { token });
  await until(async () => (await count('taxclaims_http_requests_in_flight')) === 0);
  const [authorization, requests] = [
    await count('taxclaims_authorization_duration_seconds_sum', { role: 'ADMIN' }),
    await count('taxclaims_http_request_duration_seconds_sum', { role: 'ADMIN' }),
  ];
  expect(authorization).toBeGreaterThan(0);
  expect(authorization).toBeLessThan(requests);
});

test('the metrics show database connections, fetches of the provider’s keys, and the state of the waiting audit records', async () => {
  await service.ask('GET /api/clients', { token: await service.token('ADMIN') });
  const values = await figures();
  const connections = sumOf(values, 'taxclaims_database_connections', { lane: 'requests' });
  expect(connections).toBeGreaterThan(0);
  expect(connections).toBeLessThanOrEqual(4);
  expect(sumOf(values, 'taxclaims_jwks_fetches_total', { outcome: 'keys' })).toBeGreaterThan(0);
  expect(values.get('taxclaims_jwks_age_seconds')).toBeGreaterThan(0);
  expect(Object.fromEntries(values)).toMatchObject({
    'taxclaims_database_waiting{lane="requests"}': 0,
    taxclaims_database_long_requests: 0,
    taxclaims_refusals_taken: 1,
    taxclaims_refusals_spool_records: 0,
    taxclaims_refusals_spool_bytes: 0,
    taxclaims_refusals_set_aside_bytes: 0,
  });
});
