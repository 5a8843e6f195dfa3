import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { compareSync } from 'bcryptjs';
import { describe, expect, test } from '@jest/globals';
import { hashPassword, NO_PASSWORD_HASH, countWaitingPasswords } from '../../src/identity/password.ts';
import { ROLES } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';
import { cheapHash, PRESENT, secondsAgo, userWithPassword } from '../support/user-with-password.ts';
import type { UserWithPassword } from '../support/user-with-password.ts';

const NEXT = 'another password';

const service = await forSuite(startService());
const own = await service.tenant('Own');

const change = (token: string, body: object = { current_password: PRESENT, password: NEXT }) =>
  service.ask('PUT /api/users/me/password', { token, body });
const profile = (token: string) => service.ask('GET /api/auth/profile', { token });
const stored = async (id: string) => (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};
const attempts = async (id: string) => {
  const [row] = await service.sql`select attempted_at from app.password_attempts where user_id = ${id}`;
  return (row?.['attempted_at'] ?? []) as Date[];
};
const recordsOf = (answer: Answer) =>
  service.sql`select to_jsonb(a) as record from public.audit_logs as a
    where request_id = ${answer.headers['x-request-id']}`;

describe('a change of a user’s password', () => {
  test.each(ROLES)(
    'a user with the role %s who gives the present password can set a new one, and the audit record has no hash of a password',
    async (role) => {
      const { id, token } = await userWithPassword(service, role, { clients: role === 'ADMIN' ? [] : [own.clients] });
      const answer = await change(token);
      expect([answer.status, answer.text]).toEqual([204, '']);
      const { password_hash } = await stored(id);
      expect(compareSync(NEXT, String(password_hash))).toBe(true);
      expect(password_hash).toMatch(/^\$2b\$12\$/);
      const records = await recordsOf(answer);
      expect(records).toEqual([
        {
          record: expect.objectContaining({
            success: true,
            action: 'PUT /api/users/me/password',
            resource_type: 'users',
            resource_id: id,
            user_id: id,
          }),
        },
      ]);
      expect(JSON.stringify(records)).not.toMatch(/\$2b\$|(?:present|another) password/);
    },
  );

  test('a password change of one user does not change another user who has the same password', async () => {
    const [one, other] = [await userWithPassword(service, 'CLIENT'), await userWithPassword(service, 'CLIENT')];
    const before = await stored(other.id);
    expect((await change(one.token)).status).toBe(204);
    expect(await stored(other.id)).toEqual(before);
    expect((await profile(other.token)).status).toBe(200);
  });

  test('a user who gives a wrong present password cannot change the password: 403 names the field, and the audit record has no password', async () => {
    const { id, token } = await userWithPassword(service, 'CLIENT');
    const answer = await change(token, { current_password: 'no password of mine', password: NEXT });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
    expect(details(answer)).toEqual({ current_password: 'is not your current password' });
    expect(await stored(id)).toMatchObject({ password_hash: await cheapHash(PRESENT), sessions_ended_at: null });
    expect(JSON.stringify(await recordsOf(answer))).not.toMatch(/password of mine|\$2b\$/);
    expect((await profile(token)).status).toBe(200);
  });

  const LENGTHS = 'must have at least 12 characters and at most 72 bytes';
  const WAYS = {
    'a user’s own change': async ({ token }: UserWithPassword, body: object) =>
      change(token, { current_password: PRESENT, ...body }),
    'an ADMIN’s change of a user': async ({ id }: UserWithPassword, body: object) =>
      service.ask(`PUT /api/users/${id}`, { token: await service.token('ADMIN'), body }),
    'an ADMIN’s creation of a user': async ({ email }: UserWithPassword, body: object) => {
      const user = { email: `new-${email}`, name: 'Ada', role: 'CLIENT', ...body };
      return service.ask('POST /api/users', { token: await service.token('ADMIN'), body: user });
    },
  } as const;
  type Way = keyof typeof WAYS;
  const ALL = Object.keys(WAYS) as Way[];

  test.each<{ kind: string; password: unknown; rule: string; ways: readonly Way[] }>([
    { kind: 'of fewer than 12 characters', password: 'elevenchars', rule: LENGTHS, ways: ALL },
    { kind: 'of more than 72 bytes', password: 'é'.repeat(37), rule: LENGTHS, ways: ALL },
    { kind: 'with a NUL', password: 'a new\0password', rule: LENGTHS, ways: ALL },
    { kind: 'that is a number', password: 123456789012, rule: LENGTHS, ways: ALL },
    {
      kind: 'equal to the present one',
      password: PRESENT,
      rule: 'must differ from the current password',
      ways: ['a user’s own change'],
    },
  ])('a password $kind is refused in $ways, because it $rule', async ({ password, rule, ways }) => {
    const user = await userWithPassword(service, 'CLIENT');
    const before = await stored(user.id);
    for (const way of ways) expectError(await WAYS[way](user, { password }), 'ERROR_VALIDATION', { password: rule });
    expect(await stored(user.id)).toEqual(before);
  });

  test('a user’s password cannot be the present or new email in any letter case, but an ADMIN can set the user’s former email as password', async () => {
    const user = await userWithPassword(service, 'CLIENT');
    const { id, email } = user;
    const before = await stored(id);
    const next = `new-${email}`;
    for (const [way, body] of [
      ['a user’s own change', { password: email.toUpperCase() }],
      ['an ADMIN’s change of a user', { password: email.toUpperCase() }],
      ['an ADMIN’s change of a user', { password: next, email: next }],
      ['an ADMIN’s creation of a user', { password: next.toUpperCase() }],
    ] as const)
      expectError(await WAYS[way](user, body), 'ERROR_VALIDATION', { password: 'must not be the email' });
    expect(await stored(id)).toEqual(before);
    const formerEmail = { password: email, email: next };
    expect((await WAYS['an ADMIN’s change of a user'](user, formerEmail)).status).toBe(200);
  });

  test('a password change gets 409 for a user without a stored password and for a caller who is not stored', async () => {
    const { token } = await userWithPassword(service, 'CLIENT', { hash: NO_PASSWORD_HASH });
    const nobody = await service.token('CLIENT', [], { sub: randomUUID() });
    for (const one of [token, nobody]) {
      const answer = await change(one);
      expectError(answer, 'ERROR_CONFLICT', {
        current_password: 'is not stored here: the identity provider manages your password',
      });
    }
  });
});

test('a password change whose caller disconnects while the service hashes other passwords is dropped, and the password stays', async () => {
  const { id, token } = await userWithPassword(service, 'CLIENT');
  const before = await stored(id);
  let left = 6;
  const others = Array.from({ length: left }, () => hashPassword('correct horse 1').finally(() => (left -= 1)));
  const body = JSON.stringify({ current_password: PRESENT, password: NEXT });
  const caller = connect(service.port, '127.0.0.1');
  caller.on('error', () => undefined);
  caller.write(
    `PUT /api/users/me/password HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
  await until(() => countWaitingPasswords() > left);
  caller.destroy();
  await until(() => countWaitingPasswords() === left);
  // The service still computes the hashes of other callers, so it never began to hash the disconnected caller’s
  // password.
  expect(left).toBeGreaterThan(0);
  await Promise.allSettled(others);
  expect(await stored(id)).toEqual(before);
});

test('a caller can guess a present password ten times an hour, and then gets 429 with Retry-After', async () => {
  const { id, token } = await userWithPassword(service, 'CLIENT');
  const guess = (password: string) => change(token, { current_password: password, password: NEXT });
  for (let times = 0; times < 2; times += 1) expect((await guess(`guess ${times}`)).status).toBe(403);
  expect(await attempts(id)).toHaveLength(2);
  await service.sql`update app.password_attempts set attempted_at = array_fill(now(), array[7]) || attempted_at
      where user_id = ${id}`;
  expect((await guess('guess 9')).status).toBe(403);
  const answer = await guess(PRESENT);
  expectError(answer, 'ERROR_RATE_LIMITED');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3000);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(3600);
  expect(await stored(id)).toMatchObject({ sessions_ended_at: null });
  expect(await attempts(id)).toHaveLength(10);

  await service.sql`update app.password_attempts set attempted_at[1] = attempted_at[1] - interval '1 hour'
      where user_id = ${id}`;
  expect((await guess(PRESENT)).status).toBe(204);
  expect(await attempts(id)).toEqual([]);
});

test('wrong guesses of a password are counted separately for each account, and from 0 after a password change', async () => {
  const [one, other] = [await userWithPassword(service, 'CLIENT'), await userWithPassword(service, 'CLIENT')];
  await service.sql`insert into app.password_attempts (user_id, attempted_at)
      values (${one.id}, array_fill(now(), array[10]))`;
  expect((await change(other.token)).status).toBe(204);
  expect((await change(one.token)).status).toBe(429);
  const admin = await service.token('ADMIN');
  expect((await service.ask(`PUT /api/users/${one.id}`, { token: admin, body: { name: 'Zoé' } })).status).toBe(200);
  expect(await attempts(one.id)).toHaveLength(10);
  expect((await service.ask(`PUT /api/users/${one.id}`, { token: admin, body: { password: NEXT } })).status).toBe(200);
  expect(await attempts(one.id)).toEqual([]);
});

describe('the end of a user’s sessions', () => {
  const changeByAdmin = async (id: string, body: object) =>
    service.ask(`PUT /api/users/${id}`, { token: await service.token('ADMIN'), body });

  /**
   * Returns the statuses of two requests of a user: with a token issued a minute ago, and with a token dated a minute
   * ahead.
   */
  async function statuses(id: string, email: string): Promise<number[]> {
    const tokens = await Promise.all(
      [60, -1].map((age) => service.token('CLIENT', [], { sub: id, email, iat: secondsAgo(age) })),
    );
    return Promise.all(tokens.map(async (token) => (await profile(token)).status));
  }

  test('the sessions of a user end when the user changes the password, until the next login', async () => {
    const { id, email, token } = await userWithPassword(service, 'CLIENT');
    expect((await change(token)).status).toBe(204);
    await expectRefusal(service, await profile(token), 'ERROR_UNAUTHORIZED');
    const login = await service.ask('POST /api/auth/login', { body: { token } });
    await expectRefusal(service, login, 'ERROR_UNAUTHORIZED');
    expect(await statuses(id, email)).toEqual([401, 200]);
  });

  test('the sessions of a user end when an ADMIN sets a password, but not with other changes by an ADMIN', async () => {
    const { id, email } = await userWithPassword(service, 'CLIENT');
    expect((await changeByAdmin(id, { name: 'Zoé', email })).status).toBe(200);
    expect(await statuses(id, email)).toEqual([200, 200]);
    const set = await changeByAdmin(id, { password: NEXT });
    expect(set.status).toBe(200);
    expect(await statuses(id, email)).toEqual([401, 200]);
    // The end of a user’s sessions does not change the ETag of the user’s record.
    const read = await service.ask(`GET /api/users/${id}`, { token: await service.token('ADMIN') });
    expect(read.headers.etag).toBe(set.headers.etag);
  });

  test('the sessions of a user who became inactive stay ended after the user becomes active again', async () => {
    const { id, email } = await userWithPassword(service, 'CLIENT');
    expect((await changeByAdmin(id, { is_active: false })).status).toBe(200);
    expect(await statuses(id, email)).toEqual([401, 401]);
    expect((await changeByAdmin(id, { is_active: true })).status).toBe(200);
    expect(await statuses(id, email)).toEqual([401, 200]);
  });

  test('the sessions of a user end when a DBA changes the password with SQL', async () => {
    const { id, email } = await userWithPassword(service, 'CLIENT');
    await service.sql`update public.users set password_hash = ${await cheapHash(NEXT)} where id = ${id}`;
    expect(await statuses(id, email)).toEqual([401, 200]);
  });

  test('a token issued in the same second as a password change gets 401, because tokens have only whole seconds', async () => {
    const { id, email } = await userWithPassword(service, 'CLIENT');
    const second = secondsAgo(30);
    await service.sql`update public.users set sessions_ended_at = to_timestamp(${second}) + interval '1 ms'
      where id = ${id}`;
    const of = async (iat: number) =>
      (await profile(await service.token('CLIENT', [], { sub: id, email, iat }))).status;
    expect([await of(second - 1), await of(second), await of(second + 2)]).toEqual([401, 401, 200]);
  });

  test('the end of the sessions of a user whose subject is not stored also applies to tokens with the user’s id as subject', async () => {
    const { id, email, token } = await userWithPassword(service, 'CLIENT');
    await service.admin('update public.users set subject = null where id = $1', [id]);
    expect((await profile(token)).status).toBe(200);
    expect((await change(token)).status).toBe(204);
    expect(await statuses(id, email)).toEqual([401, 200]);
    await service.admin('update public.users set is_active = false where id = $1', [id]);
    expect(await statuses(id, email)).toEqual([401, 401]);
  });
});
