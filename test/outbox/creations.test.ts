import { beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createIdentityChangeQueue } from '../../src/db/identity-changes.ts';
import { openManagementClient } from '../../src/identity/management/client.ts';
import type { Role } from '../../src/identity/caller.ts';
import { deliverIdentityChanges } from '../../src/outbox/worker.ts';
import { knownPerson } from './known-person.ts';
import type { KnownPerson } from './known-person.ts';
import { startManagement } from '../support/management.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * In these tests users create clients while another change of their rights is not yet delivered to the identity
 * provider.
 */

const service = await forSuite(startService());
const provider = await forSuite(startManagement());
const changes = createIdentityChangeQueue(service.database);
await changes.begin();
const [own, other] = [(await service.tenant('Own')).clients, (await service.tenant('Other')).clients];

beforeEach(() => service.admin('delete from public.identity_changes'));

const person = (role: Role, clients: readonly string[]) => knownPerson(service, provider, role, clients);

async function deliver(): Promise<void> {
  await service.admin('update public.identity_changes set next_attempt_at = now()');
  const management = openManagementClient({ url: provider.url, token: 'management-token' });
  const worker = deliverIdentityChanges({ changes, management, log: pino({ level: 'silent' }) });
  await worker.deliverNow();
  await worker.close();
}

const known = ({ subject }: KnownPerson) => provider.users.get(subject)?.app_metadata;
const change = async (id: string, body: object) => {
  const token = await service.token('ADMIN');
  expect((await service.ask(`PUT /api/users/${id}`, { token, body })).status).toBe(200);
};
const me = async (token: string) => (await service.ask('GET /api/users/me', { token })).status;
const create = (token: string) =>
  service.ask('POST /api/clients', { token, body: { company_name: 'Neuve', contact_email: 'n@b.example' } });
/** The claims of a token that the identity provider issues 20 seconds from now. */
const later = { iat: Math.floor(Date.now() / 1_000) + 20 };

test('a user who creates clients while another change of the user’s rights is undelivered can still use the present token', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const old = await ada.token([own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const made: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    const { json, status } = await create(token);
    expect(status).toBe(201);
    made.push((json as { id: string }).id);
    expect(await me(token)).toBe(200);
  }
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
  expect(await me(old)).toBe(401);
  expect(await me(await ada.token([own, other], later))).toBe(401);
  await deliver();
  expect(known(ada)).toMatchObject({ client_access: [own, ...made] });
  expect(await me(token)).toBe(200);
  expect(await me(old)).toBe(401);
  // If an ADMIN withdraws a client afterwards, the user’s older token does not give access to the client any more.
  await change(ada.id, { client_access: made });
  expect([await me(token), (await create(token)).status]).toEqual([401, 401]);
  await deliver();
  expect(known(ada)).toMatchObject({ client_access: [...made].sort() });
});

test('the service delivers an ADMIN’s change of client access although the client’s creator still has an older token', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const { json } = await create(token);
  const { id } = json as { id: string };
  await change(ada.id, { client_access: [own] });
  await change(ada.id, { client_access: [own, id] });
  expect(await me(token)).toBe(401);
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(401);
  await deliver();
  expect(known(ada)).toMatchObject({ client_access: [own, id].sort() });
});

test('the creator of two clients can still use the same token after one of these clients was deleted', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const [gone, kept] = [await create(token), await create(token)].map(({ json }) => (json as { id: string }).id);
  const removed = await service.ask(`DELETE /api/clients/${String(gone)}`, {
    token: await service.token('ADMIN'),
  });
  expect(removed.status).toBe(204);
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
  expect(await me(token)).toBe(200);
  await deliver();
  expect(known(ada)?.client_access).toEqual(expect.arrayContaining([own, kept]));
});

test('once a user’s rights are changed, the service refuses a token that names more clients than the stored user', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own]);
  const newer = await ada.token([own, other], later);
  expect((await create(newer)).status).toBe(201);
  // After the second change of rights, the user’s stored rights are the same as when the client was created.
  await change(ada.id, { role: 'CLIENT' });
  await change(ada.id, { role: 'ACCOUNT_MANAGER' });
  expect(await me(newer)).toBe(401);
});
