import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

let own: string;
let other: string;
let foreign: string;
let manager: string;

const service = await forSuite(startService());

beforeEach(async () => {
  own = (await service.tenant('Own')).clients;
  other = (await service.tenant('Other')).clients;
  foreign = (await service.tenant('Foreign')).clients;
  manager = await service.token('ACCOUNT_MANAGER', [own, other]);
});

const user = async (role: Role, clients: readonly string[]) => (await person(service, role, clients)).id;

async function clientsOf(id: string): Promise<unknown> {
  const [stored] = await service.admin('select client_access from public.users where id = $1', [id]);
  return stored?.['client_access'];
}

const recordsOf = (id: string) =>
  service.sql`select action, success, client_context from public.audit_logs
   where resource_type = 'users' and resource_id = ${id} and success and request_id is not null order by created_at`;

const assign = (id: string, client: string, token: string, headers = {}) =>
  service.ask(`PUT /api/users/${id}/client-access/${client}`, { token, headers });
const withdraw = (id: string, client: string, token: string, headers = {}) =>
  service.ask(`DELETE /api/users/${id}/client-access/${client}`, { token, headers });

test.each(['TAX_SPECIALIST', 'CLIENT'] as const)(
  'an account manager gives a user with the role %s access to a client and takes it back, and both changes are audited',
  async (role) => {
    const id = await user(role, [foreign]);
    const unseen = await service.ask(`GET /api/users/${id}`, { token: manager });
    await expectRefusal(service, unseen, 'ERROR_FORBIDDEN');
    const answer = await assign(id, own.toUpperCase(), manager);
    // The account manager is not allowed to see the user’s other client, so the response leaves out that client.
    expect(answer).toMatchObject({ status: 200, json: { id, role, client_access: [own] } });
    expect(answer.headers.etag).toMatch(/^"\d+"$/);
    expect(await clientsOf(id)).toEqual([foreign, own]);
    expect(await withdraw(id, own, manager)).toMatchObject({ status: 204, text: '' });
    expect(await clientsOf(id)).toEqual([foreign]);
    expect(await recordsOf(id)).toEqual([
      expect.objectContaining({ action: expect.stringMatching(/^PUT /), client_context: own }),
      expect.objectContaining({ action: expect.stringMatching(/^DELETE /), client_context: own }),
    ]);
  },
);

test('repeating the assignment or withdrawal of a client changes nothing and is not audited', async () => {
  const id = await user('CLIENT', [own]);
  const [before] = await service.admin('select updated_at from public.users where id = $1', [id]);
  expect((await assign(id, own, manager)).status).toBe(200);
  expect((await withdraw(id, other, manager)).status).toBe(204);
  expect(await service.admin('select updated_at from public.users where id = $1', [id])).toEqual([before]);
  expect(await recordsOf(id)).toEqual([]);
});

test.each(['ADMIN', 'ACCOUNT_MANAGER'] as const)(
  'an account manager can neither assign a client to a user with the role %s nor take one away from that user',
  async (role) => {
    const id = await user(role, [own]);
    await expectRefusal(service, await assign(id, other, manager), 'ERROR_FORBIDDEN');
    await expectRefusal(service, await withdraw(id, own, manager), 'ERROR_FORBIDDEN');
    expect(await clientsOf(id)).toEqual([own]);
  },
);

test('an account manager gets 404 for an unknown user or a deleted client, but can take a deleted client away from a user', async () => {
  expectError(await assign(randomUUID(), own, manager), 'ERROR_NOT_FOUND');
  expectError(await withdraw(randomUUID(), own, manager), 'ERROR_NOT_FOUND');
  const gone = (await service.tenant('Gone')).clients;
  const token = await service.token('ACCOUNT_MANAGER', [gone]);
  const id = await user('CLIENT', [gone]);
  await service.admin('delete from public.clients where id = $1', [gone]);
  expectError(await assign(await user('CLIENT', []), gone, token), 'ERROR_NOT_FOUND');
  expect((await withdraw(id, gone, token)).status).toBe(204);
  expectError(await withdraw(id, gone, token), 'ERROR_NOT_FOUND');
  expect(await clientsOf(id)).toEqual([]);
});

test('assigning a client to an ADMIN of all clients changes nothing, and withdrawing one gets 409', async () => {
  const admin = await service.token('ADMIN');
  const id = await user('ADMIN', []);
  expect((await assign(id, own, admin)).json).toMatchObject({ client_access: [] });
  expectError(await withdraw(id, own, admin), 'ERROR_CONFLICT');
});

test('the last client of a limited ADMIN cannot be withdrawn, because that ADMIN would then have access to all clients', async () => {
  const admin = await service.token('ADMIN');
  const id = await user('ADMIN', [own, other]);
  expect((await withdraw(id, own, admin)).status).toBe(204);
  expectError(await withdraw(id, other, admin), 'ERROR_CONFLICT');
  expect(await clientsOf(id)).toEqual([other]);
});

test('an ADMIN of one client can assign only that client to users, and can assign no client to an ADMIN of all clients', async () => {
  const limitedAdmin = await service.token('ADMIN', [own]);
  const id = await user('ACCOUNT_MANAGER', [foreign]);
  expect((await assign(id, own, limitedAdmin)).json).toMatchObject({ client_access: [own] });
  await expectRefusal(service, await assign(id, other, limitedAdmin), 'ERROR_FORBIDDEN');
  await expectRefusal(service, await assign(await user('ADMIN', []), own, limitedAdmin), 'ERROR_FORBIDDEN');
});

test('assigning a client to a user with an older ETag of the user in If-Match gets 412', async () => {
  const id = await user('CLIENT', [own]);
  const { etag = '' } = (await service.ask(`GET /api/users/${id}`, { token: manager })).headers;
  const headers = { 'if-match': etag };
  expect((await assign(id, other, manager, headers)).status).toBe(200);
  expectError(await withdraw(id, other, manager, headers), 'ERROR_PRECONDITION_FAILED');
  expect(await clientsOf(id)).toEqual([own, other]);
});

test('three clients assigned to one user at the same time are all kept', async () => {
  const id = await user('TAX_SPECIALIST', []);
  const admin = await service.token('ADMIN');
  const answers = await Promise.all([own, other, foreign].map((client) => assign(id, client, admin)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(((await clientsOf(id)) as string[]).toSorted()).toEqual([own, other, foreign].toSorted());
});
