import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { quiet, startManagement } from '../support/management.ts';
import { addressOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';
import { make } from '../support/rows.ts';
import { accepting } from '../support/world.ts';

/*
 * In these tests instances of the service are killed or stopped while they send changes of rights to the identity
 * provider.
 */

let subject: string;
let id: string;

const service = await forSuite(startService());
const provider = await forSuite(startManagement());
const folder = await folderForSuite();
const [own, other] = [(await service.tenant('Own')).clients, (await service.tenant('Other')).clients];

beforeEach(async () => {
  provider.fault = quiet;
  provider.answering = () => Promise.resolve();
  provider.asked.length = 0;
  id = randomUUID();
  subject = `auth0|${id}`;
  await make(service, 'users', { id, role: 'ACCOUNT_MANAGER', client_access: [own, other], subject });
  provider.know(subject, 'ACCOUNT_MANAGER', [own, other]);
});

let instances = 0;

async function instance(more: Readonly<Record<string, string>> = {}): Promise<Started> {
  instances += 1;
  const started = start(folder, {
    ...{ DATABASE_URL: service.postgres.apiUrl, PORT: '0', LOG_LEVEL: 'warn' },
    ...{ ...accepting(service.identity), DATA_DIR: `${folder}/${String(instances)}` },
    ...{ AUTH_MANAGEMENT_URL: provider.url, AUTH_MANAGEMENT_TOKEN: 'management-token' },
    ...more,
  });
  await addressOf(started);
  await until(async () => (await service.admin(MANAGED)).length > 0);
  return started;
}

const MANAGED = 'select from app.identity_management where managed_since is not null';

const narrow = (clients: readonly string[]) =>
  service.admin('update public.users set client_access = $2 where id = $1', [id, clients]);
const expire = () =>
  service.admin(
    `update public.identity_changes set claimed_until = now() - interval '1 second' where claim is not null`,
  );
const states = async () =>
  (await service.admin('select state from public.identity_changes where user_id = $1', [id])).map(({ state }) => state);
const isDelivered = async () => (await states()).every((state) => state === 'DELIVERED');
const patches = () => provider.asked.filter(({ method }) => method === 'PATCH');
const known = () => provider.users.get(subject)?.app_metadata;

/**
 * Delays the identity provider’s answers until the returned function is called. The provider stores the changes of
 * rights at once.
 */
function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  provider.answering = () => promise;
  return () => {
    provider.answering = () => Promise.resolve();
    resolve(undefined);
  };
}

async function end(started: Started): Promise<void> {
  started.signal('SIGTERM');
  expect(await started.ended).toBe(0);
}

test('another instance sends a change of rights again if a killed instance had sent it without recording the delivery', async () => {
  const killed = await instance();
  const letGo = hold();
  await narrow([own]);
  await until(() => patches().length === 1);
  killed.signal('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  expect(await states()).toEqual(['WAITING']);
  letGo();
  await expire();
  const heir = await instance();
  await until(isDelivered);
  expect(patches()).toHaveLength(2);
  expect(known()).toMatchObject({ client_access: [own] });
  await end(heir);
});

test('an instance that gets SIGTERM finishes sending a change of rights to the identity provider before it ends', async () => {
  const ending = await instance();
  const letGo = hold();
  await narrow([own]);
  await until(() => patches().length === 1);
  ending.signal('SIGTERM');
  letGo();
  expect(await ending.ended).toBe(0);
  expect(await states()).toEqual(['DELIVERED']);
});

test('an instance without AUTH_MANAGEMENT_URL queues changes of rights, and an instance with it delivers them', async () => {
  const started = await instance({ AUTH_MANAGEMENT_URL: '', AUTH_MANAGEMENT_TOKEN: '' });
  await narrow([own]);
  expect(await states()).toEqual(['WAITING']);
  const second = await instance();
  await until(isDelivered);
  await Promise.all([end(started), end(second)]);
});
