import { describe, expect, test } from '@jest/globals';
import { NO_PASSWORD_HASH } from '../../src/identity/password.ts';
import type { Answer } from '../support/http.ts';
import { expectRefusal, startService } from '../support/service.ts';
import { cheapHash, PRESENT, userWithPassword } from '../support/user-with-password.ts';
import type { UserWithPassword } from '../support/user-with-password.ts';
import { inLine, rowOf, wholeTable } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* Passwords, sessions and attempts beside each other. */

const NEXT = 'another password';

const service = await forSuite(startService());
const own = (await service.tenant('Own')).clients;

const change = ({ token }: UserWithPassword, current_password: string = PRESENT) =>
  service.ask('PUT /api/users/me/password', { token, body: { current_password, password: NEXT } });
const stored = async ({ id }: UserWithPassword) =>
  (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};
const manager = () => userWithPassword(service, 'ACCOUNT_MANAGER', { clients: [own] });
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

/** A change of the password by another, in the transaction that holds the user. */
const newPassword =
  ({ id }: UserWithPassword) =>
  async (query: (text: string, values?: unknown[]) => Promise<unknown>) =>
    query('update public.users set password_hash = $2 where id = $1', [id, await cheapHash(NEXT)]);

describe('of two attempts at the same password at once', () => {
  test('each counts, also where one is left', async () => {
    const user = await manager();
    const guesses = [() => change(user, 'a first guess'), () => change(user, 'a second guess')];
    expect(statuses(await inLine(service, rowOf('users', user.id), guesses))).toEqual([403, 403]);
    const counted = 'select cardinality(attempted_at) as times from app.password_attempts where user_id = $1';
    expect(await service.admin(counted, [user.id])).toEqual([{ times: 2 }]);
    await service.sql`update app.password_attempts set attempted_at = array_fill(now(), array[7]) || attempted_at
      where user_id = ${user.id}`;
    expect(statuses(await inLine(service, rowOf('users', user.id), guesses))).toEqual([403, 429]);
    expect(await service.admin(counted, [user.id])).toEqual([{ times: 10 }]);
  });

  test('that are both right one changes it', async () => {
    const user = await manager();
    const answers = statuses(await inLine(service, rowOf('users', user.id), [() => change(user), () => change(user)]));
    expect(answers[0]).toBe(204);
    // It comes after the session has ended, or finds another password.
    expect([401, 403]).toContain(answers[1]);
  });
});

describe('while a new password is under way', () => {
  test('a login with a token from before waits, and is refused', async () => {
    const user = await manager();
    const [login] = await inLine(
      service,
      rowOf('users', user.id),
      [() => service.ask('POST /api/auth/login', { body: { token: user.token } })],
      newPassword(user),
    );
    await expectRefusal(service, login ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
  });

  test('whoever creates a client with a token from before waits, and creates none', async () => {
    const user = await manager();
    const before = await service.admin('select count(*) from public.clients');
    const body = { company_name: 'Neuve', contact_email: 'n@b.example' };
    const [made] = await inLine(
      service,
      rowOf('users', user.id),
      [() => service.ask('POST /api/clients', { token: user.token, body })],
      newPassword(user),
    );
    await expectRefusal(service, made ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await service.admin('select count(*) from public.clients')).toEqual(before);
    expect(await stored(user)).toMatchObject({ client_access: [own] });
  });

  test('the user who changes it as well is refused, and the other’s stands', async () => {
    const user = await manager();
    const [changed] = await inLine(service, rowOf('users', user.id), [() => change(user)], newPassword(user));
    await expectRefusal(service, changed ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(user)).toMatchObject({ password_hash: await cheapHash(NEXT) });
  });
});

test.each([
  ['is made inactive', 'is_active = false', {}],
  ['is left without a password', `password_hash = '${NO_PASSWORD_HASH}'`, { password_hash: NO_PASSWORD_HASH }],
])('who %s while a change of the password waits changes nothing', async (_what, set, left) => {
  const user = await manager();
  const { password_hash } = await stored(user);
  const [answer] = await inLine(service, rowOf('users', user.id), [() => change(user)], (query) =>
    query(`update public.users set ${set} where id = $1`, [user.id]),
  );
  expect([401, 409]).toContain(answer?.status);
  expect(await stored(user)).toMatchObject({ password_hash, ...left });
});

test.each(['users', 'audit_logs'])(
  'a new password that waited for %s ends the sessions when it comes true',
  async (table) => {
    const user = await manager();
    const token = await service.token('ADMIN');
    let released: unknown;
    const [changed] = await inLine(
      service,
      table === 'users' ? rowOf('users', user.id) : wholeTable(table),
      [() => service.ask(`PUT /api/users/${user.id}`, { token, body: { password: NEXT } })],
      async (query) => {
        [{ released }] = (await query('select clock_timestamp() as released')) as [{ released: unknown }];
      },
    );
    expect(changed?.status).toBe(200);
    const { sessions_ended_at } = await stored(user);
    expect(Number(sessions_ended_at)).toBeGreaterThanOrEqual(Number(released));
  },
);
