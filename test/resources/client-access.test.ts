import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
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

describe('an account manager', () => {
  test.each(['TAX_SPECIALIST', 'CLIENT'] as const)(
    'gives %s an own client, also where they share none yet, and takes it away; each audited once with the client',
    async (role) => {
      const id = await user(role, [foreign]);
      const unseen = await service.ask(`GET /api/users/${id}`, { token: manager });
      await expectRefusal(service, unseen, 'ERROR_FORBIDDEN');
      const answer = await assign(id, own.toUpperCase(), manager);
      // The client that they do not share stays unknown to the manager.
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

  test('changes nothing by giving or taking a second time', async () => {
    const id = await user('CLIENT', [own]);
    const [before] = await service.admin('select updated_at from public.users where id = $1', [id]);
    expect((await assign(id, own, manager)).status).toBe(200);
    expect((await withdraw(id, other, manager)).status).toBe(204);
    expect(await service.admin('select updated_at from public.users where id = $1', [id])).toEqual([before]);
    expect(await recordsOf(id)).toEqual([]);
  });

  test.each(['ADMIN', 'ACCOUNT_MANAGER'] as const)('assigns nothing to %s, nor takes it away', async (role) => {
    const id = await user(role, [own]);
    await expectRefusal(service, await assign(id, other, manager), 'ERROR_FORBIDDEN');
    await expectRefusal(service, await withdraw(id, own, manager), 'ERROR_FORBIDDEN');
    expect(await clientsOf(id)).toEqual([own]);
  });

  test('gives no user who does not exist anything, and no client that is gone', async () => {
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
});

describe('an ADMIN', () => {
  test('without a list assigns any client to anyone, shown with all of their clients', async () => {
    const admin = await service.token('ADMIN');
    const id = await user('ACCOUNT_MANAGER', [foreign]);
    expect((await assign(id, own, admin)).json).toMatchObject({ client_access: [foreign, own] });
    expectError(await assign(id, randomUUID(), admin), 'ERROR_NOT_FOUND');
  });

  test('without a list keeps every client, whatever is assigned, and loses none by this way', async () => {
    const admin = await service.token('ADMIN');
    const id = await user('ADMIN', []);
    expect((await assign(id, own, admin)).json).toMatchObject({ client_access: [] });
    expectError(await withdraw(id, own, admin), 'ERROR_CONFLICT');
  });

  test('never gains every client by losing the last of its list', async () => {
    const admin = await service.token('ADMIN');
    const id = await user('ADMIN', [own, other]);
    expect((await withdraw(id, own, admin)).status).toBe(204);
    expectError(await withdraw(id, other, admin), 'ERROR_CONFLICT');
    expect(await clientsOf(id)).toEqual([other]);
  });

  test('with a list assigns its clients alone, and touches no ADMIN without one', async () => {
    const scoped = await service.token('ADMIN', [own]);
    const id = await user('ACCOUNT_MANAGER', [foreign]);
    expect((await assign(id, own, scoped)).json).toMatchObject({ client_access: [own] });
    await expectRefusal(service, await assign(id, other, scoped), 'ERROR_FORBIDDEN');
    await expectRefusal(service, await assign(await user('ADMIN', []), own, scoped), 'ERROR_FORBIDDEN');
  });
});

describe('a token', () => {
  const isAnswered = async (token: string) => (await service.ask('GET /api/auth/profile', { token })).status === 200;

  test.each([
    ['given', assign, [] as string[]],
    ['losing', withdraw, ['own']],
  ])('of a user %s a client is worthless from the next request on, and a newer one is not', async (_what, ask, has) => {
    const clients = has.map(() => own);
    const id = await user('CLIENT', clients);
    const token = await service.token('CLIENT', clients, { sub: id });
    expect(await isAnswered(token)).toBe(true);
    expect((await ask(id, own, manager)).status).toBeLessThan(300);
    await expectRefusal(service, await service.ask('GET /api/clients', { token }), 'ERROR_UNAUTHORIZED');
    const now = clients.length === 0 ? [own] : [];
    expect(await isAnswered(await service.token('CLIENT', now, { sub: id }))).toBe(true);
  });
});

describe('with If-Match', () => {
  test('an assignment is bound to the version that was read', async () => {
    const id = await user('CLIENT', [own]);
    const { etag = '' } = (await service.ask(`GET /api/users/${id}`, { token: manager })).headers;
    const headers = { 'if-match': etag };
    expect((await assign(id, other, manager, headers)).status).toBe(200);
    expectError(await withdraw(id, other, manager, headers), 'ERROR_PRECONDITION_FAILED');
    expect(await clientsOf(id)).toEqual([own, other]);
  });
});

test('clients given to one user at once by several are all kept', async () => {
  const id = await user('TAX_SPECIALIST', []);
  const admin = await service.token('ADMIN');
  const answers = await Promise.all([own, other, foreign].map((client) => assign(id, client, admin)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(((await clientsOf(id)) as string[]).toSorted()).toEqual([own, other, foreign].toSorted());
});
