import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { person } from '../support/people.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { inLine, rowOf, wholeTable } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* Logins, and changes of rights, beside each other: what the one says of rights is judged while it holds the user. */

let own: string;
let other: string;
let admin: string;

const service = await forSuite(startService());

beforeEach(async () => {
  own = (await service.tenant('Own')).clients;
  other = (await service.tenant('Other')).clients;
  admin = await service.token('ADMIN');
});

const logIn = (token: string) => service.ask('POST /api/auth/login', { body: { token } });
const change = (id: string, body: object, token = admin) => service.ask(`PUT /api/users/${id}`, { token, body });
const create = (token: string) =>
  service.ask('POST /api/clients', { token, body: { company_name: 'Neuve', contact_email: 'n@b.example' } });

const stored = async (id: string) => (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

const REVOCATIONS: readonly (readonly [string, Role, (own: string) => object])[] = [
  ['narrows an account manager', 'ACCOUNT_MANAGER', (client) => ({ client_access: [client] })],
  ['demotes an account manager', 'ACCOUNT_MANAGER', () => ({ role: 'CLIENT' })],
  ['makes an account manager inactive', 'ACCOUNT_MANAGER', () => ({ is_active: false })],
  ['narrows an ADMIN', 'ADMIN', (client) => ({ client_access: [client] })],
];

describe('a login with an old token that waits behind an ADMIN who', () => {
  test.each(REVOCATIONS)('%s is refused, and the change stands', async (_what, role, body) => {
    await person(service, 'ADMIN', []);
    const { id, token } = await person(service, role, role === 'ADMIN' ? [] : [own, other]);
    const written = body(own);
    const [changed, login] = await inLine(service, rowOf('users', id), [() => change(id, written), () => logIn(token)]);
    expect(changed?.status).toBe(200);
    await expectRefusal(service, login ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(id)).toMatchObject(written);
    expect((await service.ask('GET /api/users/me', { token })).status).toBe(401);
  });

  test.each(REVOCATIONS)('%s, waiting behind the login, leaves what the ADMIN wrote', async (_what, role, body) => {
    await person(service, 'ADMIN', []);
    const { id, token } = await person(service, role, role === 'ADMIN' ? [] : [own, other]);
    const written = body(own);
    const answers = await inLine(service, rowOf('users', id), [() => logIn(token), () => change(id, written)]);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(await stored(id)).toMatchObject(written);
    expect((await service.ask('GET /api/users/me', { token })).status).toBe(401);
  });

  test('gives a client to a specialist is refused, and the assignment is kept', async () => {
    const { id, token } = await person(service, 'TAX_SPECIALIST', [own]);
    const [assigned, login] = await inLine(service, rowOf('users', id), [
      () => service.ask(`PUT /api/users/${id}/client-access/${other}`, { token: admin }),
      () => logIn(token),
    ]);
    expect([assigned?.status, login?.status]).toEqual([200, 401]);
    expect(await stored(id)).toMatchObject({ client_access: [own, other] });
  });

  test('changes the rights of a user who waits under the email is refused', async () => {
    const { id, email } = await person(service, 'ACCOUNT_MANAGER', [own, other], { subject: null });
    const token = await service.token('ACCOUNT_MANAGER', [own, other], { sub: `idp|${id}`, email });
    const answers = await inLine(service, rowOf('users', id), [
      () => change(id, { client_access: [own] }),
      () => logIn(token),
    ]);
    expect(statuses(answers)).toEqual([200, 401]);
    expect(await stored(id)).toMatchObject({ client_access: [own], subject: null });
  });

  test('changes the email of a user who waits under it makes a user of its own', async () => {
    const { id, email } = await person(service, 'CLIENT', [], { subject: null });
    const token = await service.token('CLIENT', [own], { sub: `idp|${id}`, email });
    const [changed, login] = await inLine(service, rowOf('users', id), [
      () => change(id, { email: `moved-${email}` }),
      () => logIn(token),
    ]);
    expect(changed?.status).toBe(200);
    expect(login).toMatchObject({ status: 200, json: { email, client_access: [own] } });
    expect((login?.json as { id: string }).id).not.toBe(id);
  });
});

test('subjects that differ by letter case are two users, or refused as UUIDs; with one email the second is told', async () => {
  const sub = randomUUID();
  const [first, second] = [`${sub}@one.example`, `${sub}@two.example`];
  const one = await logIn(await service.token('CLIENT', [own], { sub, email: first }));
  expect(one).toMatchObject({ status: 200, json: { id: sub, email: first } });
  const shouting = { sub: sub.toUpperCase(), email: second };
  await expectRefusal(service, await logIn(await service.token('CLIENT', [own], shouting)), 'ERROR_UNAUTHORIZED');
  expect(await service.admin('select from public.users where email = $1', [second])).toEqual([]);
  const named = [`Ada|${sub}`, `ada|${sub}`].map(async (name, index) =>
    logIn(await service.token('CLIENT', [own], { sub: name, email: `${sub}@${index}.example` })),
  );
  const ids = (await Promise.all(named)).map(({ json }) => (json as { id: string }).id);
  expect(new Set(ids).size).toBe(2);
  const taken = await logIn(await service.token('CLIENT', [own], { sub: `x${sub}`, email: first }));
  expectError(taken, 'ERROR_CONFLICT');
  expect(details(taken)).toEqual({ token: expect.any(String) });
});

test('a login whose id is that of another subject is refused, and nothing is stored', async () => {
  const { id } = await person(service, 'CLIENT', [own]);
  await service.admin(`update public.users set subject = 'somebody else' where id = $1`, [id]);
  const answer = await logIn(await service.token('CLIENT', [own], { sub: id, email: 'new@users.example' }));
  await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
  expect(await stored(id)).toMatchObject({ subject: 'somebody else' });
});

test('a token whose subject is the id of another user is given nothing of that user', async () => {
  const { id } = await person(service, 'CLIENT', [own]);
  await service.admin(`update public.users set subject = 'another, not ' || id where id = $1`, [id]);
  const token = await service.token('CLIENT', [own], { sub: id });
  for (const line of ['GET /api/users/me', `GET /api/users/${id}`, 'GET /api/auth/profile'])
    await expectRefusal(service, await service.ask(line, { token }), 'ERROR_UNAUTHORIZED');
});

test('of many first logins at once each is answered with the one user that is made', async () => {
  const sub = `idp|${randomUUID()}`;
  const token = await service.token('CLIENT', [own], { sub, email: `${sub}@users.example` });
  const answers = await Promise.all(Array.from({ length: 12 }, () => logIn(token)));
  expect(new Set(statuses(answers))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

describe('a change of rights', () => {
  test.each(['users', 'audit_logs'])('that waited for the table %s dates from when it came true', async (table) => {
    const { id } = await person(service, 'ACCOUNT_MANAGER', [own, other]);
    const hold = table === 'users' ? rowOf('users', id) : wholeTable(table);
    let released: unknown;
    const [changed] = await inLine(service, hold, [() => change(id, { client_access: [own] })], async (query) => {
      [{ released }] = (await query('select clock_timestamp() as released')) as [{ released: unknown }];
    });
    expect(changed?.status).toBe(200);
    const { access_changed_at, updated_at } = await stored(id);
    expect(Number(access_changed_at)).toBeGreaterThanOrEqual(Number(released));
    // The date of the rights is no change of the record: its tag is the one that was answered.
    const { headers } = await service.ask(`GET /api/users/${id}`, { token: admin });
    expect(headers.etag).toBe(changed?.headers.etag);
    expect(Number(updated_at)).toBeLessThanOrEqual(Number(access_changed_at));
  });
});

describe('whoever creates a client', () => {
  const created = (answer: Answer | undefined) => (answer?.json as { id: string }).id;

  test('keeps it when the same token logs in after, however often', async () => {
    const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    const client = created(await create(token));
    for (let times = 0; times < 2; times += 1) {
      expect((await logIn(token)).json).toMatchObject({ client_access: [own, client] });
    }
    expect(await stored(id)).toMatchObject({ client_access: [own, client] });
  });

  test('goes on with the same token after the client is gone, a login and another creation', async () => {
    const { token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    expect((await logIn(token)).status).toBe(200);
    const client = created(await create(token));
    expect((await service.ask(`DELETE /api/clients/${client}`, { token: admin })).status).toBe(204);
    expect((await logIn(token)).status).toBe(200);
    const next = created(await create(token));
    expect((await service.ask('GET /api/users/me', { token })).json).toMatchObject({
      client_access: [own, next],
    });
    expect((await logIn(token)).status).toBe(200);
  });

  test('keeps it no longer once a newer token says a role that creates none', async () => {
    const { id, email, token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    expect((await create(token)).status).toBe(201);
    const iat = Math.floor(Date.now() / 1000) + 1;
    const demoted = await service.token('CLIENT', [own], { sub: id, email, iat });
    expect((await logIn(demoted)).json).toMatchObject({ role: 'CLIENT', client_access: [own] });
  });

  test('keeps it when the login waits behind the creation', async () => {
    const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    const [made, login] = await inLine(service, rowOf('users', id), [() => create(token), () => logIn(token)]);
    expect([made?.status, login?.status]).toEqual([201, 200]);
    expect(await stored(id)).toMatchObject({ client_access: [own, created(made)] });
  });

  test('keeps it also where they were not stored yet', async () => {
    const email = `${randomUUID()}@users.example`;
    const token = await service.token('ACCOUNT_MANAGER', [own], { sub: `idp|${email}`, email });
    const client = created(await create(token));
    expect((await logIn(token)).json).toMatchObject({ client_access: [own, client] });
  });

  test('as an ADMIN without a list gets none by it, and sees every client by the same token as before', async () => {
    const { id, token } = await person(service, 'ADMIN', []);
    const client = created(await create(token));
    expect(await stored(id)).toMatchObject({ client_access: [] });
    for (const any of [client, own]) {
      expect((await service.ask(`GET /api/clients/${any}`, { token })).status).toBe(200);
    }
    expect((await logIn(token)).json).toMatchObject({ client_access: [] });
  });

  test('loses it to a token that is newer than one that said it', async () => {
    const { id, email, token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    const client = created(await create(token));
    const claims = { sub: id, email };
    const knowing = await service.token('ACCOUNT_MANAGER', [own, client], claims);
    expect((await logIn(knowing)).json).toMatchObject({ client_access: [own, client] });
    const later = Math.floor(Date.now() / 1000) + 1;
    const taken = await service.token('ACCOUNT_MANAGER', [own], { ...claims, iat: later });
    expect((await logIn(taken)).json).toMatchObject({ client_access: [own] });
  });

  test('and was demoted meanwhile has created nothing, and the list that the ADMIN wrote stands', async () => {
    const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own, other]);
    const before = await service.admin('select count(*) from public.clients');
    const written = { role: 'CLIENT', client_access: [own] };
    const [made] = await inLine(service, rowOf('users', id), [() => create(token)], (query) =>
      query('update public.users set role = $2, client_access = $3 where id = $1', [
        id,
        written.role,
        written.client_access,
      ]),
    );
    await expectRefusal(service, made ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(id)).toMatchObject(written);
    expect(await service.admin('select count(*) from public.clients')).toEqual(before);
  });

  test('has no client that a list leaves out which an ADMIN writes after, by no later login', async () => {
    const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own, other]);
    expect((await create(token)).status).toBe(201);
    const written = { role: 'CLIENT', client_access: [own] };
    expect((await change(id, written)).status).toBe(200);
    const iat = Math.floor(Date.now() / 1000) + 1;
    const demoted = await service.token('CLIENT', [own], { sub: id, iat });
    expect((await logIn(demoted)).json).toMatchObject(written);
    expect(await stored(id)).toMatchObject(written);
  });

  test('and an ADMIN who writes their list at once leave what the ADMIN wrote, whoever was first', async () => {
    const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own, other]);
    const written = { role: 'CLIENT', client_access: [own] };
    const answers = await inLine(service, rowOf('users', id), [() => create(token), () => change(id, written)]);
    expect(statuses(answers)).toEqual([expect.any(Number), 200]);
    expect([201, 401]).toContain(answers[0]?.status);
    expect(await stored(id)).toMatchObject(written);
  });
});

describe('an ADMIN without a list', () => {
  beforeEach(async () => {
    // Of other tests: with two rules off that would keep them.
    await service.admin(
      `set session_replication_role = replica; update public.users set is_active = false where role = 'ADMIN'`,
    );
  });

  const ENDS: readonly (readonly [string, (own: string) => object])[] = [
    ['put out', () => ({ is_active: false })],
    ['demoted', () => ({ role: 'ACCOUNT_MANAGER' })],
    ['narrowed', (client) => ({ client_access: [client] })],
  ];

  test.each(ENDS)('who is the last is not %s, by anybody', async (_how, body) => {
    const last = await person(service, 'ADMIN', []);
    for (const token of [admin, last.token]) {
      const answer = await change(last.id, body(own), token);
      expectError(answer, 'ERROR_CONFLICT');
      expect(Object.keys(details(answer) as object)).toEqual(Object.keys(body(own)));
    }
    expect(await stored(last.id)).toMatchObject({ is_active: true, role: 'ADMIN', client_access: [] });
    expect((await service.ask('GET /api/users/me', { token: last.token })).status).toBe(200);
  });

  test.each(ENDS)('is %s while another remains', async (_how, body) => {
    const one = await person(service, 'ADMIN', []);
    await person(service, 'ADMIN', []);
    expect((await change(one.id, body(own))).status).toBe(200);
  });

  test('who is the last keeps its rights when the provider’s next token says less', async () => {
    const last = await person(service, 'ADMIN', []);
    const iat = Math.floor(Date.now() / 1000) + 1;
    const less = await service.token('CLIENT', [own], { sub: last.id, email: last.email, iat });
    const answer = await logIn(less);
    expectError(answer, 'ERROR_CONFLICT');
    expect(details(answer)).toEqual({ token: expect.any(String) });
    expect(await stored(last.id)).toMatchObject({ role: 'ADMIN', client_access: [] });
  });

  test('is not deleted or put out by a DBA either, while it is the last', async () => {
    const last = await person(service, 'ADMIN', []);
    for (const text of [
      `update public.users set is_active = false where role = 'ADMIN'`,
      `delete from public.users where id = '${last.id}'`,
    ])
      await expect(service.admin(text)).rejects.toThrow('the last active ADMIN without a list of clients must remain');
  });

  test.each(ENDS)('of two who try it at once, one is %s and the other stays', async (_how, body) => {
    const [one, two] = [await person(service, 'ADMIN', []), await person(service, 'ADMIN', [])];
    const answers = await inLine(service, wholeTable('users'), [
      () => change(one.id, body(own), two.token),
      () => change(two.id, body(own), one.token),
    ]);
    // The second was asked before the first had lost its rights; or it is refused because it has lost them.
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(1);
    const left = await service.admin(
      `select from public.users where role = 'ADMIN' and is_active and client_access = '{}'`,
    );
    expect(left).toHaveLength(1);
  });
});
