import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { compare } from 'bcryptjs';
import { person } from '../support/people.ts';
import { details, expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

let own: string;
let other: string;
let foreign: string;

const service = await forSuite(startService());

beforeEach(async () => {
  own = (await service.tenant('Own')).clients;
  other = (await service.tenant('Other')).clients;
  foreign = (await service.tenant('Foreign')).clients;
});

const stored = async (id: string) => (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};

const read = async (id: string, token: string) =>
  (await service.ask(`GET /api/users/${id}`, { token })).json as Record<string, unknown>;

async function listed(token: string, query = ''): Promise<Record<string, unknown>[]> {
  const answer = await service.ask(`GET /api/users${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.json as Record<string, unknown>[];
}

const isAccepted = async (token: string) => (await service.ask('GET /api/auth/profile', { token })).status === 200;

const newUser = (fields: object = {}) => ({
  email: `${randomUUID()}@new.example`,
  name: 'Nouvelle',
  role: 'CLIENT',
  client_access: [own],
  ...fields,
});

test.each(['ACCOUNT_MANAGER', 'ADMIN'] as const)(
  'a user with the role %s and two clients sees only those two in the client_access of a user who has more',
  async (role) => {
    const caller = await person(service, role, [own, other]);
    const somebody = await person(service, 'CLIENT', [foreign, other, own]);
    expect(await listed(caller.token)).toContainEqual(
      expect.objectContaining({ id: somebody.id, client_access: [other, own] }),
    );
    expect(await read(somebody.id, caller.token)).toMatchObject({ client_access: [other, own] });
    expect((await listed(caller.token, `?client_id=${own}`)).find(({ id }) => id === somebody.id)).toMatchObject({
      client_access: [other, own],
    });
  },
);

test('a user’s own record lists the stored clients, even one that the user’s token does not name yet', async () => {
  const caller = await person(service, 'CLIENT', [own]);
  await service.sql`update public.users set client_access = array[${own}, ${other}]::uuid[], access_changed_at = '2000-01-01'
      where id = ${caller.id}`;
  expect(await read(caller.id, caller.token)).toMatchObject({ client_access: [own, other] });
});

test('only a caller who is allowed to change a user reads that user’s is_active, in the record, the list and the response to a change', async () => {
  const shared = await person(service, 'CLIENT', [own, foreign]);
  const inactive = await person(service, 'TAX_SPECIALIST', [own]);
  await service.admin('update public.users set is_active = false where id = $1', [inactive.id]);
  const users = [shared, inactive, await person(service, 'ADMIN', [own]), await person(service, 'ADMIN', [])];
  const callers = [
    await person(service, 'ADMIN', []),
    await person(service, 'ADMIN', [own, other]),
    await person(service, 'ACCOUNT_MANAGER', [own, other, foreign]),
  ];
  const shown: unknown[] = [];
  for (const { token } of callers) {
    const all = await listed(token);
    for (const { id } of users) {
      const { status, json } = await service.ask(`GET /api/users/${id}`, { token });
      if (status === 403) continue;
      const user = json as { is_active?: boolean };
      expect(all.find((one) => one['id'] === id)).toEqual(user);
      const changed = await service.ask(`PUT /api/users/${id}`, { token, body: user });
      if (changed.status === 200) expect(changed.json).toMatchObject({ is_active: id !== inactive.id });
      else expect(changed.status).toBe(403);
      shown.push(user.is_active);
    }
  }
  const [, , manager] = callers;
  expectError(await service.ask('GET /api/users?is_active=false', { token: manager?.token ?? '' }), 'ERROR_FORBIDDEN');
  // An ADMIN with a list of two clients is not allowed to change a user who also has another client.
  expect(shown).toEqual([true, false, true, true, true, false, true, undefined, undefined, undefined]);
});

test.each(['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
  'a caller with the role %s sees no is_active in the caller’s own record, nor in the response to a login',
  async (role) => {
    const { id, token } = await person(service, role, [own]);
    const login = await service.ask('POST /api/auth/login', { body: { token } });
    const paths = ['/api/users/me', `/api/users/${id}`];
    const read = await Promise.all(paths.map((path) => service.ask(`GET ${path}`, { token })));
    for (const { status, json } of [login, ...read]) {
      expect([status, Object.keys(json as object)]).toEqual([
        200,
        ['id', 'email', 'name', 'role', 'client_access', 'created_at', 'updated_at'],
      ]);
    }
  },
);

test('an ADMIN who creates a user reads the user at the Location with the same ETag, and the user can log in by email', async () => {
  const token = await service.token('ADMIN');
  const body = newUser({ client_access: [other.toUpperCase(), own, own] });
  const answer = await service.ask('POST /api/users', { token, body });
  expect(answer.status).toBe(201);
  const { id } = answer.json as { id: string };
  expect(answer.json).toEqual({
    id,
    email: body.email,
    name: 'Nouvelle',
    role: 'CLIENT',
    client_access: [own, other].toSorted(),
    is_active: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(answer.headers.location).toBe(`/api/users/${id}`);
  const again = await service.ask(`GET ${answer.headers.location ?? ''}`, { token });
  expect([again.json, again.headers.etag]).toEqual([answer.json, answer.headers.etag]);

  const claims = { sub: randomUUID(), email: body.email.toUpperCase(), iat: Math.floor(Date.now() / 1000) + 1 };
  const theirs = await service.token('CLIENT', [own, other], claims);
  const login = await service.ask('POST /api/auth/login', { body: { token: theirs } });
  expect(login).toMatchObject({ status: 200, json: { id } });
});

test('the password of a created user is stored as a salted hash that no response shows; without a password, none works', async () => {
  const token = await service.token('ADMIN');
  const password = 'correct horse battery staple';
  const answer = await service.ask('POST /api/users', { token, body: newUser({ password }) });
  const { id } = answer.json as { id: string };
  const hash = String((await stored(id))['password_hash']);
  expect(hash).toMatch(/^\$2[aby]\$1[2-9]\$/);
  expect(await compare(password, hash)).toBe(true);
  expect(answer.text).not.toMatch(/password|\$2/);
  const without = await service.ask('POST /api/users', { token, body: newUser() });
  expect(await stored((without.json as { id: string }).id)).toMatchObject({ password_hash: '!' });
});

test.each([
  ['a role that does not exist', { role: 'admin' }, 'role'],
  ['a client that is no UUID', { client_access: ['x'] }, 'client_access.0'],
  ['a password hash', { password_hash: '!' }, 'password_hash'],
  ['a subject of the identity provider', { subject: 'x' }, 'subject'],
  ['no email', { email: undefined }, 'email'],
])('the creation of a user with %s gets 400 that names the field', async (_what, fields, name) => {
  const answer = await service.ask('POST /api/users', { token: await service.token('ADMIN'), body: newUser(fields) });
  expectInvalid(answer, [name]);
});

test('an ADMIN of one client can create users of that client, but neither users of other clients nor an ADMIN of all clients', async () => {
  const token = await service.token('ADMIN', [own]);
  const foreignClient = await service.ask('POST /api/users', {
    token,
    body: newUser({ client_access: [own, foreign] }),
  });
  await expectRefusal(service, foreignClient, 'ERROR_FORBIDDEN', { client_context: foreign });
  const unlimited = await service.ask('POST /api/users', {
    token,
    body: newUser({ role: 'ADMIN', client_access: [] }),
  });
  await expectRefusal(service, unlimited, 'ERROR_FORBIDDEN');
  expect((await service.ask('POST /api/users', { token, body: newUser() })).status).toBe(201);
});

test('a change of a user changes only the given fields, and ignores the read-only fields', async () => {
  const token = await service.token('ADMIN');
  const { id, email } = await person(service, 'CLIENT', [own]);
  const before = await stored(id);
  const body = { id: randomUUID(), created_at: null, updated_at: 1, name: 'Autre' };
  const answer = await service.ask(`PUT /api/users/${id}`, { token, body });
  expect(answer).toMatchObject({
    status: 200,
    json: { id, email, name: 'Autre', role: 'CLIENT', client_access: [own] },
  });
  expect({ ...(await stored(id)), updated_at: null }).toEqual({ ...before, name: 'Autre', updated_at: null });
  const password = 'a new password';
  expect((await service.ask(`PUT /api/users/${id}`, { token, body: { password } })).status).toBe(200);
  const after = await stored(id);
  expect(await compare(password, String(after['password_hash']))).toBe(true);
  expect(after).toMatchObject({ name: 'Autre', email, role: 'CLIENT', is_active: true });
});

test.each([
  ['who becomes inactive', { is_active: false }],
  ['who gets another role', { role: 'TAX_SPECIALIST' }],
  ['who loses a client', { client_access: [] }],
])('the old token of a user %s gets 401 from the next request on, which is audited once', async (_what, body) => {
  const { id, token } = await person(service, 'CLIENT', [own]);
  expect(await isAccepted(token)).toBe(true);
  const changedBy = await service.token('ADMIN');
  expect((await service.ask(`PUT /api/users/${id}`, { token: changedBy, body })).status).toBe(200);
  const answer = await service.ask('GET /api/clients', { token });
  await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED', { actor: id });
});

test('the token of a user stays valid when the user’s name or email changes', async () => {
  const { id, token } = await person(service, 'CLIENT', [own]);
  const body = { name: 'Renommée', email: `${id}@other.example` };
  expect((await service.ask(`PUT /api/users/${id}`, { token: await service.token('ADMIN'), body })).status).toBe(200);
  expect(await isAccepted(token)).toBe(true);
});

test.each([{ is_active: false }, { role: 'CLIENT' }])(
  'an ADMIN cannot change the own user record by %j, but another ADMIN can',
  async (body) => {
    const { id, token } = await person(service, 'ADMIN', []);
    const refused = await service.ask(`PUT /api/users/${id}`, { token, body });
    expectError(refused, 'ERROR_CONFLICT');
    const [field = ''] = Object.keys(body);
    expect(details(refused)).toEqual({ [field]: 'is your own: another ADMIN has to change it' });
    expect(await isAccepted(token)).toBe(true);
    const sameAgain = { is_active: true, role: 'ADMIN', name: 'Moi' };
    expect((await service.ask(`PUT /api/users/${id}`, { token, body: sameAgain })).status).toBe(200);
    const another = await person(service, 'ADMIN', []);
    const taken = await service.ask(`PUT /api/users/${id}`, { token: another.token, body });
    expect(taken.status).toBe(200);
  },
);

test.each([
  ['is_active', 'is_active = false'],
  ['role', `role = 'CLIENT'`],
])(
  'the database forbids an ADMIN to change the column %s of the own row in users, even by a statement that sets only this column',
  async (_name, set) => {
    const { id } = await person(service, 'ADMIN', []);
    await person(service, 'ADMIN', []);
    const asItself = `begin; set local app.user_id = '${id}'; set local role taxclaims_admin; `;
    const change = `${asItself} update public.users set ${set} where id = '${id}'; commit`;
    await expect(service.admin(change)).rejects.toMatchObject({ code: 'TX409' });
    const [stored] = await service.admin('select role, is_active from public.users where id = $1', [id]);
    expect(stored).toEqual({ role: 'ADMIN', is_active: true });
  },
);

test('a change of a user cannot add an unknown client, but can repeat a deleted client of the user', async () => {
  const token = await service.token('ADMIN');
  const gone = (await service.tenant('Gone')).clients;
  const { id } = await person(service, 'CLIENT', [own, gone]);
  await service.admin('delete from public.clients where id = $1', [gone]);
  const line = `PUT /api/users/${id}`;
  const unknown = { client_access: [own, randomUUID()] };
  expectError(await service.ask(line, { token, body: unknown }), 'ERROR_CONFLICT');
  const body = { client_access: [own, gone, other] };
  expect((await service.ask(line, { token, body })).json).toMatchObject({
    client_access: body.client_access.toSorted(),
  });
});
