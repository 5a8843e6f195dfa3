import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = await service.tenant('Own');

const logIn = (token: string) => service.ask('POST /api/auth/login', { body: { token } });
const stored = (sub: string) => service.admin('select * from public.users where subject = $1', [sub]);

describe('POST /api/auth/login', () => {
  test('a user’s first login stores the user and returns the user’s record without secrets; a second login stores no second user', async () => {
    const sub = randomUUID();
    const token = await service.token('ACCOUNT_MANAGER', [own.clients], { sub, email: 'a@b.example', name: 'Ada' });
    const answer = await logIn(token);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.json).toEqual({
      id: sub,
      email: 'a@b.example',
      name: 'Ada',
      role: 'ACCOUNT_MANAGER',
      client_access: [own.clients],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await logIn(token)).json).toMatchObject({ id: sub });
    expect(await stored(sub)).toHaveLength(1);
    expect((await service.ask('GET /api/users/me', { token })).json).toEqual(answer.json);
  });

  test('a login with a token that has no email stores no user and returns a user record made from the token', async () => {
    const sub = randomUUID();
    const answer = await logIn(await service.token('CLIENT', [own.clients], { sub }));
    expect(answer.json).toEqual({
      id: sub,
      email: null,
      name: null,
      role: 'CLIENT',
      client_access: [own.clients],
      created_at: null,
      updated_at: null,
    });
    expect(await stored(sub)).toEqual([]);
  });

  test.each(['nobody', 'a@localhost', 'a|b@b.example', '!'])(
    'a login with a token whose email is %s, which POST /api/users refuses, stores no user',
    async (email) => {
      const sub = randomUUID();
      const answer = await logIn(await service.token('CLIENT', [own.clients], { sub, email, name: 'Ada' }));
      expect(answer).toMatchObject({ status: 200, json: { id: sub, email: null } });
      expect(await stored(sub)).toEqual([]);
      const body = { email, name: 'Ada', role: 'CLIENT', client_access: [own.clients] };
      const created = await service.ask('POST /api/users', { token: await service.token('ADMIN'), body });
      expectError(created, 'ERROR_VALIDATION');
    },
  );

  test('a login of a user whose name is blank in the token stores the email as name', async () => {
    const sub = randomUUID();
    const email = `${sub}@b.example`;
    const answer = await logIn(await service.token('CLIENT', [own.clients], { sub, email, name: ' ' }));
    expect(answer).toMatchObject({ status: 200, json: { email, name: email } });
  });

  /** Stores a user whom an ADMIN created in advance and who has not logged in yet. Returns the user’s id. */
  async function insertInvitedUser(email: string): Promise<unknown> {
    const [row] = await service.sql`insert into public.users (email, password_hash, name, role, access_changed_at)
     values (${email}, '!', 'Waiting', 'ACCOUNT_MANAGER', now() - interval '1 hour')
     returning id`;
    return row?.['id'];
  }

  test('a login with a verified email takes over the user whom an ADMIN created in advance with that email', async () => {
    const email = `${randomUUID()}@b.example`;
    const id = await insertInvitedUser(email);
    const token = await service.token('CLIENT', [own.clients], { sub: randomUUID(), email });
    expect((await logIn(token)).json).toMatchObject({ id, email, role: 'CLIENT' });
  });

  test.each([
    { verified: 'false', email_verified: false },
    { verified: 'missing', email_verified: undefined },
    { verified: 'the text "TRUE"', email_verified: 'TRUE' },
  ])(
    'a login whose email_verified is $verified takes over no stored user and does not reveal which emails are stored',
    async ({ email_verified }) => {
      const email = `${randomUUID()}@b.example`;
      const id = await insertInvitedUser(email);
      await logIn(await service.token('CLIENT', [], { sub: randomUUID(), email: `claimed-${email}` }));
      const answers = [email, `claimed-${email}`, `nobody-${email}`].map(async (address) => {
        const sub = randomUUID();
        const claims = { sub, email: address, email_verified };
        const answer = await logIn(await service.token('CLIENT', [own.clients], claims));
        expect(await stored(sub)).toEqual([]);
        return [answer.status, answer.text.replaceAll(sub, 'the subject')];
      });
      const [first, ...others] = await Promise.all(answers);
      expect(first?.[0]).toBe(200);
      for (const other of others) expect(other).toEqual(first);
      const now = await service.admin('select role, subject from public.users where id = $1', [id]);
      expect(now).toEqual([{ role: 'ACCOUNT_MANAGER', subject: null }]);
      // A user with another email address, which the refused logins did not use, can still log in.
      const owner = await service.token('CLIENT', [], { sub: randomUUID(), email: `nobody-${email}` });
      expect((await logIn(owner)).json).toMatchObject({ email: `nobody-${email}` });
    },
  );

  test('a login of a stored user updates the stored role and clients from the token, even if the email is not verified', async () => {
    const sub = randomUUID();
    const email = `${sub}@b.example`;
    const iat = Math.floor(Date.now() / 1000) - 10;
    await logIn(await service.token('TAX_SPECIALIST', [], { sub, email, iat }));
    const later = await service.token('CLIENT', [own.clients], { sub, email, email_verified: undefined });
    expect((await logIn(later)).json).toMatchObject({ email, role: 'CLIENT', client_access: [own.clients] });
    expect(await stored(sub)).toEqual([expect.objectContaining({ email, role: 'CLIENT' })]);
  });

  test('a login with an email that belongs to another stored user gets 409', async () => {
    const claims = { sub: randomUUID(), email: 'taken@b.example' };
    expect((await logIn(await service.token('CLIENT', [], claims))).status).toBe(200);
    const second = await service.token('CLIENT', [], { ...claims, sub: randomUUID() });
    expectError(await logIn(second), 'ERROR_CONFLICT');
  });

  test('a login with an invalid token gets 401 and one audit record with the actor anonymous', async () => {
    const expired = await service.token('CLIENT', [], { exp: 1 });
    for (const token of ['nonsense', expired]) {
      await expectRefusal(service, await logIn(token), 'ERROR_UNAUTHORIZED', {
        actor: 'anonymous',
        action: 'POST /api/auth/login',
        resource_type: 'users',
      });
    }
  });

  test('a login of an inactive user gets 401 and one audit record with the user as actor', async () => {
    const claims = { sub: randomUUID(), email: 'gone@b.example' };
    const token = await service.token('CLIENT', [], claims);
    await logIn(token);
    await service.admin('update public.users set is_active = false where subject = $1', [claims.sub]);
    await expectRefusal(service, await logIn(token), 'ERROR_UNAUTHORIZED', { actor: claims.sub });
    const anonymous = await service.token('CLIENT', [], { sub: claims.sub });
    await expectRefusal(service, await logIn(anonymous), 'ERROR_UNAUTHORIZED');
  });

  test('a login succeeds even with an invalid Authorization header, because the token is in the body', async () => {
    const token = await service.token('CLIENT');
    const headers = { authorization: 'Bearer nonsense' };
    const answer = await service.ask('POST /api/auth/login', { headers, body: { token } });
    expect(answer.status).toBe(200);
  });
});

test('GET /api/auth/profile returns the claims of the caller’s token', async () => {
  const sub = randomUUID();
  const token = await service.token('TAX_SPECIALIST', [own.clients], { sub, email: 'p@b.example', name: 'Paul' });
  expect((await service.ask('GET /api/auth/profile', { token })).json).toEqual({
    id: sub,
    sub,
    email: 'p@b.example',
    name: 'Paul',
    role: 'TAX_SPECIALIST',
    client_access: [own.clients],
  });
});

test('GET /api/auth/profile returns null for an email and name that the token lacks, and an empty client_access', async () => {
  const token = await service.token('ADMIN');
  expect((await service.ask('GET /api/auth/profile', { token })).json).toMatchObject({
    sub: 'idp|ADMIN',
    email: null,
    name: null,
    client_access: [],
  });
});

test('GET /api/users/me returns the stored email and name even if the token has others', async () => {
  const sub = randomUUID();
  await logIn(await service.token('CLIENT', [own.clients], { sub, email: 'me@b.example', name: 'Stored' }));
  const token = await service.token('CLIENT', [own.clients], { sub, email: 'other@b.example', name: 'Other' });
  const answer = await service.ask('GET /api/users/me', { token });
  expect(answer.json).toMatchObject({ id: sub, email: 'me@b.example', name: 'Stored', role: 'CLIENT' });
  expect(answer.text).not.toContain('password');
});

test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
  'GET /api/users/me returns to a caller with the role %s who is not stored a user record made from the token',
  async (role) => {
    const sub = randomUUID();
    const token = await service.token(role, [own.clients], { sub, email: 'new@b.example', name: 'New' });
    expect((await service.ask('GET /api/users/me', { token })).json).toEqual({
      id: sub,
      email: 'new@b.example',
      name: 'New',
      role,
      client_access: [own.clients],
      created_at: null,
      updated_at: null,
    });
  },
);
