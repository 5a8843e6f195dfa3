import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withAdmin } from '../support/database.ts';
import { caughtUp, createWorld, isRead, until, untilRead } from './world.ts';
import type { World } from './world.ts';

/* Every server of a cluster is named twice: in the address that follows the primary, and among the replicas. */

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** The address of both servers. */
function addressOfBoth(): string {
  const { host } = new URL(world.replicaUrl);
  return `${world.apiUrl.replace(/\/\w+$/, (path) => `,${host}${path}`)}?target_session_attrs=read-write`;
}

test('after a failover a caller reads what they wrote before it and after it, from the server that leads now', async () => {
  const service = await world.instance({
    databaseUrl: addressOfBoth,
    replicaUrls: [world.apiUrl, world.replicaUrl],
  });
  await untilRead(service);
  const token = await service.token('ADMIN', [], { sub: `idp|${randomUUID()}` });
  const body = { company_name: 'Neuf', contact_email: 'neuf@clients.example' };
  const create = () => service.ask('POST /api/clients', { token, body });
  const list = () => service.ask('GET /api/clients?q=Neuf&limit=100', { token });
  const before = (await create()).json as { id: string };
  await caughtUp(world.adminUrl, world.standbyUrl);
  expect((await list()).text).toContain(before.id);
  expect(service.replicas?.outcomes.get('replica')).toBe(1);

  await world.primary.stop();
  await withAdmin(world.standbyUrl, (admin) => admin.query('select pg_promote(true, 30)'));
  await until(async () => (await list()).status === 200);
  const after = await create();
  expect(after.status).toBe(201);
  const { status, text } = await list();
  expect(status).toBe(200);
  expect(text).toContain(before.id);
  expect(text).toContain((after.json as { id: string }).id);
  await until(() => Promise.resolve(!isRead(service)));
  expect(service.replicas?.outcomes.get('replica')).toBe(1);
  expect(world.log.join('')).toContain('the database takes writes there');
});
