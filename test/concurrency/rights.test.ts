import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { inLine, rowOf, wholeTable } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests send two simultaneous requests that use or change the rights of one user, and check the status of each
 * response. `npm run proofs -- races` tests such requests in every order, and checks what they store.
 */

const service = await forSuite(startService());
const [own, other] = [(await service.tenant('Own')).clients, (await service.tenant('Other')).clients];
const admin = await service.token('ADMIN');
// One ADMIN of all clients must always remain. This one stays active, so that the tests can deactivate and demote the
// others.
await person(service, 'ADMIN');

const logIn = (token: string) => service.ask('POST /api/auth/login', { body: { token } });
const change = (id: string, body: object, token = admin) => service.ask(`PUT /api/users/${id}`, { token, body });
const assign = (id: string, client: string, token = admin) =>
  service.ask(`PUT /api/users/${id}/client-access/${client}`, { token });
const create = (token: string) =>
  service.ask('POST /api/clients', { token, body: { company_name: 'Neuve', contact_email: 'n@b.example' } });
const createUser = (token: string) =>
  service.ask('POST /api/users', { token, body: { email: `${randomUUID()}@b.example`, name: 'New', role: 'CLIENT' } });
const stored = async (id: string) => (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};
const idOf = (answer: Answer | undefined) => (answer?.json as { id: string }).id;
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
/** Returns a time of issue that is one second later than that of the other tokens in these tests. */
const nextSecond = () => Math.floor(Date.now() / 1000) + 1;

interface Cast {
  readonly chief: Person;
  readonly deputy: Person;
  readonly manager: Person;
  readonly specialist: Person;
}

interface Pair {
  readonly outcome: string;
  /**
   * The test locks the database row of this user, so that both requests wait for it. If no user is named, the test
   * locks the audit log, for which a request waits after the check of its rights.
   */
  readonly hold?: keyof Cast;
  readonly first: (cast: Cast) => Promise<Answer>;
  readonly second: (cast: Cast) => Promise<Answer>;
  readonly statuses: readonly [number, number];
}

const PAIRS: readonly Pair[] = [
  {
    outcome: 'the first of two ADMINs who deactivate each other gets 200 and the second 401',
    first: ({ chief, deputy }) => change(deputy.id, { is_active: false }, chief.token),
    second: ({ chief, deputy }) => change(chief.id, { is_active: false }, deputy.token),
    statuses: [200, 401],
  },
  {
    outcome: 'an ADMIN who is being demoted gets 401 when creating a user',
    first: ({ deputy }) => change(deputy.id, { role: 'CLIENT' }),
    second: ({ deputy }) => createUser(deputy.token),
    statuses: [200, 401],
  },
  {
    outcome: 'an ADMIN who is being limited to one client gets 401 when setting a user’s password',
    first: ({ deputy }) => change(deputy.id, { client_access: [own] }),
    second: ({ deputy, specialist }) => change(specialist.id, { password: 'a long enough password' }, deputy.token),
    statuses: [200, 401],
  },
  {
    outcome: 'an account manager who is losing a client gets 401 when assigning that client to a user',
    first: ({ manager }) => change(manager.id, { client_access: [own] }),
    second: ({ manager, specialist }) => assign(specialist.id, other, manager.token),
    statuses: [200, 401],
  },
  {
    outcome: 'the demotion of an ADMIN waits until the ADMIN has created a user',
    first: ({ deputy }) => createUser(deputy.token),
    second: ({ deputy }) => change(deputy.id, { role: 'CLIENT' }),
    statuses: [201, 200],
  },
  {
    outcome: 'a login gets 401 if it waits for an ADMIN who withdraws a client from the user',
    hold: 'specialist',
    first: ({ specialist }) => change(specialist.id, { client_access: [own] }),
    second: ({ specialist }) => logIn(specialist.token),
    statuses: [200, 401],
  },
  {
    outcome: 'a login gets 401 if it waits for an ADMIN who assigns a client to the user',
    hold: 'manager',
    first: ({ manager }) => assign(manager.id, own),
    second: ({ manager }) => logIn(manager.token),
    statuses: [200, 401],
  },
  {
    outcome: 'an ADMIN who deactivates a user waits for the login of that user, and both get 200',
    hold: 'specialist',
    first: ({ specialist }) => logIn(specialist.token),
    second: ({ specialist }) => change(specialist.id, { is_active: false }),
    statuses: [200, 200],
  },
  {
    outcome:
      'a login waits until the same user has created a client, and gets 200 with the token from before the creation',
    hold: 'manager',
    first: ({ manager }) => create(manager.token),
    second: ({ manager }) => logIn(manager.token),
    statuses: [201, 200],
  },
  {
    outcome: 'an account manager who is being demoted gets 401 when creating a client',
    hold: 'manager',
    first: ({ manager }) => change(manager.id, { role: 'CLIENT', client_access: [own] }),
    second: ({ manager }) => create(manager.token),
    statuses: [200, 401],
  },
];

test.each(PAIRS)(
  'if two requests use or change a user’s rights at the same time, $outcome',
  async ({ hold, first, second, statuses: expected }) => {
    const cast = {
      chief: await person(service, 'ADMIN'),
      deputy: await person(service, 'ADMIN'),
      manager: await person(service, 'ACCOUNT_MANAGER', [other]),
      specialist: await person(service, 'TAX_SPECIALIST', [own, other]),
    };
    const held = hold === undefined ? wholeTable('audit_logs') : rowOf('users', cast[hold].id);
    const answers = await inLine(service, held, [() => first(cast), () => second(cast)]);
    expect(statuses(answers)).toEqual(expected);
    if (answers[1]?.status === 401) await expectRefusal(service, answers[1], 'ERROR_UNAUTHORIZED');
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    const records = await service.sql`select request_id from public.audit_logs
    where request_id = any (${ids}) and success order by created_at`;
    const recorded = new Set(records.map((record) => record['request_id']));
    expect([...recorded]).toEqual(ids.filter((id) => recorded.has(id)));
  },
);

test('an ADMIN can change a user while the same ADMIN’s change of another user waits for a lock', async () => {
  const [one, two] = [await person(service, 'CLIENT', [own]), await person(service, 'CLIENT', [own])];
  const { token } = await person(service, 'ADMIN');
  const [waited] = await inLine(
    service,
    rowOf('users', one.id),
    [() => change(one.id, { name: 'One' }, token)],
    async () => {
      expect((await change(two.id, { name: 'Two' }, token)).status).toBe(200);
    },
  );
  expect(waited?.status).toBe(200);
});

test('a first login gets 401 if it waits for an ADMIN who changes the rights of the user with the same email', async () => {
  const { id, email } = await person(service, 'ACCOUNT_MANAGER', [own, other], { subject: null });
  const token = await service.token('ACCOUNT_MANAGER', [own, other], { sub: `idp|${id}`, email });
  const narrow = () => change(id, { client_access: [own] });
  const answers = await inLine(service, rowOf('users', id), [narrow, () => logIn(token)]);
  expect(statuses(answers)).toEqual([200, 401]);
  expect(await stored(id)).toMatchObject({ client_access: [own], subject: null });
});

test('a first login creates a user if it waits for an ADMIN who gives the user with the same email another email', async () => {
  const { id, email } = await person(service, 'CLIENT', [], { subject: null });
  const token = await service.token('CLIENT', [own], { sub: `idp|${id}`, email });
  const move = () => change(id, { email: `moved-${email}` });
  const [changed, login] = await inLine(service, rowOf('users', id), [move, () => logIn(token)]);
  expect(changed?.status).toBe(200);
  expect(login).toMatchObject({ status: 200, json: { email, client_access: [own] } });
  expect(idOf(login)).not.toBe(id);
});

test('twelve simultaneous first logins with one token create one user, and each login returns that user', async () => {
  const sub = `idp|${randomUUID()}`;
  const token = await service.token('CLIENT', [own], { sub, email: `${sub}@users.example` });
  const answers = await Promise.all(Array.from({ length: 12 }, () => logIn(token)));
  expect(new Set(statuses(answers))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test('logins with subjects that differ only in letter case create two users, and a UUID with capitals is refused', async () => {
  const sub = randomUUID();
  const of = async (subject: string) =>
    logIn(await service.token('CLIENT', [own], { sub: subject, email: `${randomUUID()}@b.example` }));
  expect((await of(sub)).json).toMatchObject({ id: sub });
  await expectRefusal(service, await of(sub.toUpperCase()), 'ERROR_UNAUTHORIZED');
  expect(idOf(await of(`Ada|${sub}`))).not.toBe(idOf(await of(`ada|${sub}`)));
});

test('if the subject of a token is the id of a user who has another subject, logins and reads of this user with the token get 401', async () => {
  const { id } = await person(service, 'CLIENT', [own], { subject: `another|${randomUUID()}` });
  const before = await stored(id);
  const token = await service.token('CLIENT', [own], { sub: id, email: 'new@users.example' });
  await expectRefusal(service, await logIn(token), 'ERROR_UNAUTHORIZED');
  for (const line of ['GET /api/users/me', `GET /api/users/${id}`, 'GET /api/auth/profile'])
    await expectRefusal(service, await service.ask(line, { token }), 'ERROR_UNAUTHORIZED');
  expect(await stored(id)).toEqual(before);
});

test.each<{ change: string; role: Role; said?: true }>([
  { change: 'lowers the role to CLIENT', role: 'CLIENT' },
  {
    change: 'no longer lists the client',
    role: 'ACCOUNT_MANAGER',
    said: true,
  },
])(
  'as soon as the service gets a newer token that $change, the user loses access even to a client that the same user created',
  async ({ role, said }) => {
    const { id, email, token } = await person(service, 'ACCOUNT_MANAGER', [own]);
    const client = idOf(await create(token));
    const claims = { sub: id, email };
    if (said) {
      const saying = await service.token('ACCOUNT_MANAGER', [own, client], claims);
      expect((await logIn(saying)).json).toMatchObject({ client_access: [own, client] });
    }
    const newer = await service.token(role, [own], { ...claims, iat: nextSecond() });
    expect((await logIn(newer)).json).toMatchObject({ role, client_access: [own] });
  },
);

test('if an ADMIN has withdrawn a client from the user who created it, the user does not get the client back by a login with a newer token', async () => {
  const { id, token } = await person(service, 'ACCOUNT_MANAGER', [own, other]);
  expect((await create(token)).status).toBe(201);
  const written = { role: 'CLIENT', client_access: [own] };
  expect((await change(id, written)).status).toBe(200);
  const newer = await service.token('CLIENT', [own], { sub: id, iat: nextSecond() });
  expect((await logIn(newer)).json).toMatchObject(written);
});

test('an ADMIN without a list of clients still sees all clients with the same token after creating a client', async () => {
  const { id, token } = await person(service, 'ADMIN');
  const client = idOf(await create(token));
  expect(await stored(id)).toMatchObject({ client_access: [] });
  for (const any of [client, own]) expect((await service.ask(`GET /api/clients/${any}`, { token })).status).toBe(200);
  expect((await logIn(token)).json).toMatchObject({ client_access: [] });
});

describe('the last active ADMIN of all clients keeps this role', () => {
  let last: Person;

  beforeEach(async () => {
    await service.admin(
      `set session_replication_role = replica; update public.users set is_active = false where role = 'ADMIN'`,
    );
    last = await person(service, 'ADMIN');
  });

  test.each([{ is_active: false }, { role: 'ACCOUNT_MANAGER' }, { client_access: [own] }])(
    'a change of the last active ADMIN of all clients to %j gets 409, whoever makes the change',
    async (body) => {
      for (const token of [admin, last.token]) {
        const answer = await change(last.id, body, token);
        expectError(answer, 'ERROR_CONFLICT');
        expect(Object.keys(details(answer) as object)).toEqual(Object.keys(body));
      }
      expect(await stored(last.id)).toMatchObject({ is_active: true, role: 'ADMIN', client_access: [] });
      expect((await service.ask('GET /api/users/me', { token: last.token })).status).toBe(200);
    },
  );

  test('if the last ADMIN of all clients logs in with a token of fewer rights, the login gets 409 and changes no stored right', async () => {
    const less = await service.token('CLIENT', [own], { sub: last.id, email: last.email, iat: nextSecond() });
    const answer = await logIn(less);
    expectError(answer, 'ERROR_CONFLICT');
    expect(details(answer)).toEqual({ token: expect.any(String) });
    expect(await stored(last.id)).toMatchObject({ role: 'ADMIN', client_access: [] });
  });

  test('a DBA can neither deactivate nor delete the last ADMIN of all clients', async () => {
    for (const text of [
      `update public.users set is_active = false where role = 'ADMIN'`,
      `delete from public.users where id = '${last.id}'`,
    ])
      await expect(service.admin(text)).rejects.toThrow('the last active ADMIN without a list of clients must remain');
  });
});

test('if the deletion of a site by an account manager waits while a claim of the site is sent, the deletion gets 403', async () => {
  const { clients, sites, reclamations } = await service.furnishedTenant('Sent meanwhile');
  const token = await service.token('ACCOUNT_MANAGER', [clients]);
  for (const status of ['READY_FOR_REVIEW', 'APPROVED'])
    await service.ask(`PUT /api/reclamations/${reclamations}`, { token, body: { status } });
  const [answer] = await inLine(
    service,
    rowOf('reclamations', reclamations),
    [() => service.ask(`DELETE /api/sites/${sites}`, { token })],
    (query) => query(`update public.reclamations set status = 'SUBMITTED' where id = $1`, [reclamations]),
  );
  expect(answer?.status).toBe(403);
  expect((await service.ask(`GET /api/reclamations/${reclamations}`, { token })).json).toMatchObject({
    status: 'SUBMITTED',
  });
});
