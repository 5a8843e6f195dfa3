import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { endpoint } from '../../src/http/endpoint.ts';
import { ofReplicas } from '../../src/metrics/replicas.ts';
import { holdTable } from '../faults/held-table.ts';
import { asDatabase, withAdmin } from '../support/database.ts';
import { expectError } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { caughtUp, createWorld, isRead, until, untilLeftOut, untilRead } from './world.ts';
import type { World } from './world.ts';

/* What becomes of reads when the standby, or the primary, does not do as it should; the last test ends the standby. */

let world: World;
let service: Service;

beforeAll(async () => {
  world = await createWorld();
  service = await world.instance();
});
afterEach(() => {
  world.forgetLog();
});
afterAll(() => world.close());

const admin = (): Promise<string> => service.token('ADMIN', [], { sub: `idp|${randomUUID()}` });
const CLIENT = { company_name: 'Neuf', contact_email: 'neuf@clients.example' };

async function create(token: string): Promise<string> {
  const made = await service.ask('POST /api/clients', { token, body: CLIENT });
  expect(made.status).toBe(201);
  return (made.json as { id: string }).id;
}

const readsOnReplica = (): number => service.replicas?.outcomes.get('replica') ?? 0;
async function metrics(): Promise<string> {
  const registry = new Registry();
  if (service.replicas !== undefined) ofReplicas(service.replicas, registry);
  return registry.metrics();
}

const onStandby = (sql: string): Promise<Record<string, unknown>[]> =>
  withAdmin(world.standbyUrl, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

test('a replica that is stopped fails no read, and is read from again once it runs', async () => {
  const token = await admin();
  await world.standby.stop();
  for (let times = 0; times < 20; times += 1) {
    expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
  }
  await untilLeftOut(service);
  expect(world.log.join('')).toContain('"reason":"unreachable"');
  const name = `127.0.0.1:${world.standby.port}`;
  expect(await metrics()).toContain(`taxclaims_replica_left_out{replica="${name}"} 1`);
  await world.standby.start();
  await untilRead(service);
  const before = readsOnReplica();
  expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
  expect(readsOnReplica()).toBe(before + 1);
  const text = await metrics();
  expect(text).toContain(`taxclaims_replica_left_out{replica="${name}"} 0`);
  expect(text).toMatch(new RegExp(`^taxclaims_replica_lag_seconds\\{replica="${name}"\\} \\d`, 'm'));
  expect(text).toContain(`taxclaims_replica_reads_total{outcome="replica"} ${before + 1}`);
});

test('nobody waits for a replica that has gone mute longer than it takes to notice', async () => {
  // Whoever waited for the statement to take too long would not be answered within this test.
  const patient = await world.instance({ statementTimeoutMs: 600_000 });
  const token = await admin();
  // On this connection it is asked, and no other is waited for.
  expect((await patient.ask('GET /api/clients', { token })).status).toBe(200);
  expect(patient.replicas?.outcomes.get('replica')).toBe(1);
  await world.standby.freeze();
  expect((await patient.ask('GET /api/clients', { token })).status).toBe(200);
  await world.standby.thaw();
  await untilRead(service);
});

test('a read does not fail where the primary stops saying how far it is while it admits the caller', async () => {
  const patient = await world.instance({ statementTimeoutMs: 600_000, longestLagMs: 600_000 });
  const token = await admin();
  await world.pause();
  await create(token);
  const release = await holdTable(world, 'app.write_positions');
  const reads = [patient.ask('GET /api/clients', { token })];
  await until(async () => {
    const waiting = `select from pg_locks where not granted and relation = 'app.write_positions'::regclass`;
    return (await service.admin(waiting)).length > 0;
  });
  await service.admin('revoke execute on function app.primary_position() from taxclaims_api');
  // Whoever comes once it has said nothing is not sent to a replica.
  const unsent = (): number => patient.replicas?.outcomes.get('no replica') ?? 0;
  const before = unsent();
  await until(async () => {
    reads.push(patient.ask('GET /api/clients', { token: await admin() }));
    // Each that is sent to one still holds a connection.
    await delay(1_500);
    return unsent() > before;
  });
  await release();
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
  await service.admin('grant execute on function app.primary_position() to taxclaims_api');
  await world.resume();
  await untilRead(service);
});

test('a replica that lags for long is left out, and comes back', async () => {
  const hasty = await world.instance({ longestLagMs: 100 });
  await world.pause();
  await create(await admin());
  await untilLeftOut(hasty);
  expect(world.log.join('')).toContain('"reason":"lagging"');
  await world.resume();
  await untilRead(hasty);
});

test('a read that the replica cancels is done on the primary, once', async () => {
  await onStandby('alter system set max_standby_streaming_delay = 0');
  await onStandby('select pg_reload_conf()');
  const slow = endpoint({
    ...{
      method: 'get',
      path: '/api/slow',
      summary: 'Slow',
      tag: 'Clients',
      resource: 'clients',
      roles: ['ADMIN'],
    },
    async handle(_input, request) {
      const text = `select pg_is_in_recovery(), case when pg_is_in_recovery() then pg_sleep(600) end from public.clients limit 1`;
      const { rows } = await request.run({ text, values: [] });
      return { status: 200, body: JSON.stringify(rows) };
    },
  });
  const slowly = await world.instance({ endpoints: [slow], statementTimeoutMs: 600_000 });
  const token = await admin();
  await create(token);
  await caughtUp(world.adminUrl, world.standbyUrl);
  const answer = slowly.ask('GET /api/slow', { token });
  await until(
    async () => (await onStandby(`select from pg_stat_activity where wait_event = 'PgSleep'`)).length > 0,
  );
  await service.admin('begin; lock table public.clients in access exclusive mode; commit');
  expect((await answer).json).toEqual([['f', null]]);
  expect([...(slowly.replicas?.outcomes ?? [])]).toEqual([['refused by a replica', 1]]);
});

test('a standby of another database, or of a copy of it, is never read from', async () => {
  // A template must have no other visitor.
  await withAdmin(world.primary.adminUrl, async (client) => {
    await client.query(`alter database taxclaims with allow_connections false`);
    await client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'taxclaims'`,
    );
    await client.query('create database copy template taxclaims');
    await client.query(`alter database taxclaims with allow_connections true`);
  });
  await caughtUp(world.primary.adminUrl, world.standby.adminUrl);
  const astray = await world.instance({ replicaUrls: [asDatabase(world.replicaUrl, 'copy')] });
  await until(() => Promise.resolve(world.log.join('').includes('"reason":"of another history"')));
  expect(isRead(astray)).toBe(false);
  await untilRead(service);
});

test('the replica itself refuses to be read before it has replayed enough, and so does a server that is none', async () => {
  const required = (url: string, epoch: string, position: string): Promise<unknown> =>
    withAdmin(url, (client) =>
      client.query('select app.require_replayed($1::uuid, $2::pg_lsn)', [epoch, position]),
    );
  const [row] = await service.admin('select epoch_id::text as epoch from app.present_epoch');
  const epoch = String(row?.['epoch']);
  await expect(required(world.replicaUrl, epoch, '0/1')).resolves.toBeDefined();
  await expect(required(world.replicaUrl, epoch, 'FFFF/0')).rejects.toMatchObject({ code: 'TX425' });
  await expect(required(world.replicaUrl, randomUUID(), '0/1')).rejects.toMatchObject({ code: 'TX425' });
  await expect(required(world.apiUrl, epoch, '0/1')).rejects.toMatchObject({ code: 'TX425' });
});

test('a write whose position cannot be noted is not acknowledged', async () => {
  const token = await admin();
  await service.admin('revoke execute on function app.note_write(text) from taxclaims_api');
  expectError(await service.ask('POST /api/clients', { token, body: CLIENT }), 'ERROR_UNAVAILABLE');
  await service.admin('grant execute on function app.note_write(text) to taxclaims_api');
});

test('after a crash of the primary, which forgets the positions, a caller still reads what they wrote', async () => {
  const token = await admin();
  const epochs = (): Promise<Record<string, unknown>[]> =>
    service.admin('select epoch_id from app.present_epoch');
  await world.pause();
  const id = await create(token);
  const before = await epochs();
  await world.primary.killPostmaster();
  await world.primary.start();
  expect(await service.admin('select from app.write_positions')).toEqual([]);
  await until(async () => (await epochs()).length === 1);
  expect(await epochs()).not.toEqual(before);
  const lists = (): Promise<string> =>
    service.ask('GET /api/clients?q=Neuf&limit=100', { token }).then(({ text }) => text);
  await until(async () => (await lists()).startsWith('['));
  expect(await lists()).toContain(id);
  await world.resume();
  await untilRead(service);
  expect(await lists()).toContain(id);
});

test('a replica that is promoted is left out, and nothing that is written there is ever read', async () => {
  await onStandby('select pg_promote(true, 30)');
  await onStandby(
    `insert into public.clients (id, company_name, contact_email) values (gen_random_uuid(), 'Fourchue', 'f@x.example')`,
  );
  const token = await admin();
  for (let times = 0; times < 5; times += 1) {
    const answer = await service.ask('GET /api/clients?q=Fourchue', { token });
    expect([answer.status, answer.json]).toEqual([200, []]);
  }
  await untilLeftOut(service);
  expect(world.log.join('')).toContain('it was promoted');
});
