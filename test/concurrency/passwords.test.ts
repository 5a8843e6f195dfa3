import { describe, expect, test } from '@jest/globals';
import { NO_PASSWORD_HASH } from '../../src/identity/password.ts';
import { inLine, rowOf, wholeTable } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { expectRefusal, startService } from '../support/service.ts';
import { cheapHash, PRESENT, userWithPassword } from '../support/user-with-password.ts';
import type { UserWithPassword } from '../support/user-with-password.ts';
import { forSuite } from '../support/suite.ts';

/* These tests check the status of a user’s requests while the user’s password or rights change. */

const NEXT = 'another password';

const service = await forSuite(startService());
const own = (await service.tenant('Own')).clients;

const change = ({ token }: UserWithPassword, current_password: string = PRESENT) =>
  service.ask('PUT /api/users/me/password', { token, body: { current_password, password: NEXT } });
const stored = async ({ id }: UserWithPassword) =>
  (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};
const manager = () => userWithPassword(service, 'ACCOUNT_MANAGER', { clients: [own] });
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

test('if a user with only one guess left sends two wrong passwords at the same time, both attempts count, and one of them gets 429', async () => {
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

test('if a user sends two password changes with the right present password at the same time, only one succeeds', async () => {
  const user = await manager();
  const answers = statuses(await inLine(service, rowOf('users', user.id), [() => change(user), () => change(user)]));
  expect(answers[0]).toBe(204);
  // The second password change gets 401 or 403. After the first change, the user’s session has ended and the given
  // password is no longer the stored one.
  expect([401, 403]).toContain(answers[1]);
});

test.each<{ request: string; ask: (user: UserWithPassword) => Promise<Answer> }>([
  {
    request: 'a login of the user',
    ask: ({ token }) => service.ask('POST /api/auth/login', { body: { token } }),
  },
  {
    request: 'the creation of a client by the user',
    ask: ({ token }) =>
      service.ask('POST /api/clients', { token, body: { company_name: 'Neuve', contact_email: 'n@b.example' } }),
  },
  { request: 'another password change by the user', ask: change },
])(
  'if a user’s password is changed while $request waits, this request gets 401 and changes nothing',
  async ({ ask }) => {
    const user = await manager();
    const clients = await service.admin('select count(*) from public.clients');
    const hash = await cheapHash(NEXT);
    const [answer] = await inLine(service, rowOf('users', user.id), [() => ask(user)], (query) =>
      query('update public.users set password_hash = $2 where id = $1', [user.id, hash]),
    );
    await expectRefusal(service, answer ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(user)).toMatchObject({ password_hash: hash, client_access: [own] });
    expect(await service.admin('select count(*) from public.clients')).toEqual(clients);
  },
);

test('if a user’s password is removed while the user’s own password change waits, the user has no password afterwards', async () => {
  const user = await manager();
  const [answer] = await inLine(service, rowOf('users', user.id), [() => change(user)], (query) =>
    query(`update public.users set password_hash = '${NO_PASSWORD_HASH}' where id = $1`, [user.id]),
  );
  expect([401, 409]).toContain(answer?.status);
  expect(await stored(user)).toMatchObject({ password_hash: NO_PASSWORD_HASH });
});

describe.each(['users', 'audit_logs'])(
  'an ADMIN’s change of a user invalidates older tokens even if it waits for a lock on %s',
  (table) => {
    test.each([
      { what: 'client access', body: { client_access: [] }, column: 'access_changed_at' },
      { what: 'password', body: { password: NEXT }, column: 'sessions_ended_at' },
    ])(
      `if an ADMIN’s change of a user’s $what waits for a lock on ${table}, the change still invalidates all older tokens of the user`,
      async (row) => {
        const user = await manager();
        const token = await service.token('ADMIN');
        const hold = table === 'users' ? rowOf('users', user.id) : wholeTable(table);
        let released: unknown;
        const [changed] = await inLine(
          service,
          hold,
          [() => service.ask(`PUT /api/users/${user.id}`, { token, body: row.body })],
          async (query) => {
            [{ released }] = (await query('select clock_timestamp() as released')) as [{ released: unknown }];
          },
        );
        expect(changed?.status).toBe(200);
        expect(Number((await stored(user))[row.column])).toBeGreaterThanOrEqual(Number(released));
        // The user’s ETag stays the same, because it does not depend on when the user’s rights or password were
        // changed.
        const { headers } = await service.ask(`GET /api/users/${user.id}`, { token });
        expect(headers.etag).toBe(changed?.headers.etag);
      },
    );
  },
);
