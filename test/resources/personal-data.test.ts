import { hash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { PERSONAL_DATA_SOURCES } from '../../src/resources/personal-data.ts';
import { createSubjectUuid } from '../../src/identity/subject.ts';
import { inLine, rowOf } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { make } from '../support/rows.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { readPages } from './paging.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests the erasure of a user and GET /api/users/{id}/personal-data. matrix.test.ts calls both endpoints
 * with every role.
 */

const service = await forSuite(startService());
await service.admin('update app.identity_management set managed_since = now()');
const foreign = await service.furnishedTenant('Garage Dupont');

type Json = Readonly<Record<string, unknown>>;
interface Datum {
  readonly source: string;
  readonly id: string;
  readonly at: string;
  readonly data: Json;
}

let own: Awaited<ReturnType<typeof service.tenant>>;
let admin: string;

beforeEach(async () => {
  own = await service.tenant('Boulangerie Martin');
  admin = await service.token('ADMIN');
});

const newUser = (role: Role = 'TAX_SPECIALIST', columns: Json = {}): Promise<Person> => {
  const name = `Zoé ${randomUUID()}`;
  return person(service, role, [own.clients], { name, subject: `idp|${randomUUID()}`, ...columns });
};
const nameOf = async ({ id }: Person) =>
  String((await service.admin('select name from public.users where id = $1', [id]))[0]?.['name']);

const askPersonalData = (id: string, token: string, query = ''): Promise<Answer> =>
  service.ask(`GET /api/users/${id}/personal-data${query}`, { token });
async function personalDataOf(id: string, token: string): Promise<readonly Datum[]> {
  const answer = await askPersonalData(id, token);
  expect(answer.status).toBe(200);
  return answer.json as Datum[];
}
const dataFrom = (data: readonly Datum[], source: string): readonly Json[] =>
  data.filter((one) => one.source === source).map(({ data: record }) => record);
const erase = (id: string, token = admin): Promise<Answer> => service.ask(`POST /api/users/${id}/erasure`, { token });
const login = (token: string): Promise<Answer> => service.ask('POST /api/auth/login', { body: { token } });
const stored = async (id: string): Promise<Json> =>
  (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};

/** Creates a user with a row in every table that can have personal data. */
async function userInEveryTable(): Promise<Person> {
  const zoe = await newUser('ACCOUNT_MANAGER');
  const { id, subject, token } = zoe;
  const { clients, reclamations } = own;
  const claim = { client_id: clients, reclamation_id: reclamations };
  await service.admin('update public.reclamations set assignee_id = $1 where id = $2', [id, reclamations]);
  const note = { ...claim, author_id: id, text: 'Écrit par Zoé' };
  await make(service, 'notes', note);
  await make(service, 'notes', {
    ...{ ...note, author_id: randomUUID(), text: 'Écrit par un autre' },
    ...{ assignee_id: id, due_on: '2190-01-31' },
  });
  const moved = await service.ask(`PUT /api/reclamations/${reclamations}`, {
    ...{ token, body: { status: 'READY_FOR_REVIEW' }, headers: { 'user-agent': 'of Zoe' } },
  });
  expect(moved.status).toBe(200);
  const made = await service.ask('POST /api/sites', {
    ...{ token, body: { client_id: clients, site_name: 'Atelier' } },
    headers: { 'idempotency-key': randomUUID() },
  });
  expect(made.status).toBe(201);
  await service.admin(`insert into app.created_clients (subject, client_id) values ($1, $2)`, [subject, clients]);
  await service.admin(
    `insert into app.document_links
     values ($1, $2, $3, $4, $5, 'ACCOUNT_MANAGER', now(), 'x', now() + interval '1 minute')`,
    [randomUUID(), randomUUID(), clients, subject, id],
  );
  await service.admin('insert into app.password_attempts values ($1, array[now()])', [id]);
  await service.admin(
    `insert into app.reminders (user_id, day, told_until, waits_since) values ($1, '2026-01-02', '2026-01-01', now())`,
    [id],
  );
  await make(service, 'audit_logs', { actor: subject, action: 'GET /before', client_context: clients });
  const renamed = { name: `${await nameOf(zoe)} Roche`, email: `roche-${id}@users.example`, is_active: true };
  const changed = await service.ask(`PUT /api/users/${id}`, { token: admin, body: renamed });
  expect(changed.status).toBe(200);
  await service.admin('select app.send_identity($1)', [id]);
  return zoe;
}

test('a user and an ADMIN read the user’s personal data of every table', async () => {
  const zoe = await userInEveryTable();
  for (const token of [zoe.token, admin]) {
    const data = await personalDataOf(zoe.id, token);
    expect([...new Set(data.map(({ source }) => source))]).toEqual(PERSONAL_DATA_SOURCES);
    expect(dataFrom(data, 'users.id')).toEqual([
      expect.objectContaining({ sub: zoe.subject, role: 'ACCOUNT_MANAGER', has_password: false }),
    ]);
    expect(dataFrom(data, 'notes.author_id')).toEqual([expect.objectContaining({ text: 'Écrit par Zoé' })]);
    expect(dataFrom(data, 'audit_logs.user_id')).toContainEqual(
      expect.objectContaining({ user_agent: 'of Zoe', ip_address: '127.0.0.1', success: true }),
    );
    const { email } = zoe;
    expect(dataFrom(data, 'audit_logs.resource_id')).toContainEqual(
      expect.objectContaining({
        changed: expect.objectContaining({ email: [email, `roche-${zoe.id}@users.example`] }),
      }),
    );
  }
});

test('GET …/personal-data of a user contains no record of other users and no secret', async () => {
  const zoe = await userInEveryTable();
  for (const token of [zoe.token, admin]) {
    const { text } = await askPersonalData(zoe.id, token);
    expect(text).not.toContain('Écrit par un autre');
    expect(text).not.toContain('idp|ADMIN');
    expect(text).not.toMatch(/password_hash|\$2[aby]\$|"body"|digest/);
  }
  expect((await service.sql`select from public.notes where text = 'Écrit par un autre'`).length).toBeGreaterThan(0);
});

test('a user’s own personal data lack notes on claims of a client to which the user has lost access, but an ADMIN sees these notes', async () => {
  const zoe = await userInEveryTable();
  await service.admin(`update public.users set client_access = $2 where id = $1`, [zoe.id, [foreign.clients]]);
  const token = await service.token('ACCOUNT_MANAGER', [foreign.clients], {
    ...{ sub: zoe.subject, iat: Math.floor(Date.now() / 1000) + 30 },
  });
  await service.admin(`update public.users set access_changed_at = '-infinity' where id = $1`, [zoe.id]);
  const data = await personalDataOf(zoe.id, token);
  expect(dataFrom(data, 'notes.author_id')).toEqual([]);
  expect(dataFrom(data, 'audit_logs.user_id')).toContainEqual(expect.objectContaining({ client_context: null }));
  expect(dataFrom(await personalDataOf(zoe.id, admin), 'notes.author_id')).toHaveLength(1);
});

test('the personal data of another user are refused to a caller who is not allowed to change that user', async () => {
  const shared = await person(service, 'CLIENT', [own.clients, foreign.clients]);
  const limitedAdmin = await service.token('ADMIN', [own.clients]);
  expect((await askPersonalData((await newUser()).id, limitedAdmin)).status).toBe(200);
  for (const { id } of [shared, await person(service, 'ADMIN', [])])
    await expectRefusal(service, await askPersonalData(id, limitedAdmin), 'ERROR_FORBIDDEN');
  expect((await askPersonalData(randomUUID(), admin)).status).toBe(404);
});

test('GET …/personal-data returns each record of a user once over all its pages, in JSON and in CSV', async () => {
  const zoe = await userInEveryTable();
  const whole = await personalDataOf(zoe.id, admin);
  expect(whole.length).toBeGreaterThan(8);
  const pages = await readPages(service, `/api/users/${zoe.id}/personal-data?limit=1`, admin);
  expect(pages.map(({ json }) => json)).toEqual(whole.map((datum) => [datum]));
  const csv = await service.ask(`GET /api/users/${zoe.id}/personal-data`, {
    ...{ token: admin, headers: { accept: 'text/csv' } },
  });
  expect([csv.status, csv.text.split('\r\n')[0]]).toEqual([200, '\ufeffsource,id,at,data']);
});

test('the personal data of a user who is not stored get 404', async () => {
  const sub = `idp|${randomUUID()}`;
  const id = createSubjectUuid(service.identity.issuer, sub);
  const token = await service.token('CLIENT', [own.clients], { sub });
  expect((await askPersonalData(id, token)).status).toBe(404);
});

/** Returns the names of all columns of all tables in which some value contains the given text. */
async function columnsWith(text: string): Promise<readonly string[]> {
  const tables = await service.sql`select c.oid::regclass::text as name from pg_class as c
    join audit.house_tables as t on t.oid = c.oid where c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.admin(
      `select distinct k.key from ${String(name)} as r cross join to_jsonb(r) as j
       cross join jsonb_each_text(j) as k where r::text like '%' || $1 || '%' and k.value like '%' || $1 || '%'`,
      [text],
    );
    found.push(...rows.map(({ key }) => `${String(name)}.${String(key)}`));
  }
  return found;
}

test('the erasure of a user removes name, email and subject from every table except the actor in audit records, and keeps the user’s id', async () => {
  const zoe = await userInEveryTable();
  const name = await nameOf(zoe);
  expect((await columnsWith(name)).length).toBeGreaterThan(1);
  expect((await columnsWith(zoe.email)).length).toBeGreaterThan(0);
  const answer = await erase(zoe.id);
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect([await columnsWith(name), await columnsWith(zoe.email), await columnsWith(`roche-${zoe.id}`)]).toEqual([
    [],
    [],
    [],
  ]);
  // The column identity_changes.erased_subject keeps an erased user’s subject until the identity provider has deleted
  // the user.
  expect(await columnsWith(zoe.subject)).toEqual(['audit_logs.actor', 'identity_changes.erased_subject']);
  expect(await stored(zoe.id)).toMatchObject({
    ...{ email: `${zoe.id}@erased.invalid`, name: 'Utilisateur effacé', is_active: false },
    ...{ role: 'CLIENT', client_access: [], password_hash: '!', erased_at: expect.any(Date) },
  });
  expect(
    await service.sql`select changed_by, actor from public.reclamation_history where changed_by = ${zoe.id}`,
  ).toEqual([{ changed_by: zoe.id, actor: zoe.id }]);
  expect(await service.sql`select author_id, text from public.notes where author_id = ${zoe.id}`).toEqual([
    { author_id: zoe.id, text: 'Écrit par Zoé' },
  ]);
  expect((await service.ask(`GET /api/reclamations/${own.reclamations}`, { token: admin })).json).toMatchObject({
    assignee_id: null,
  });
});

test('no other user can have the placeholder email ending in @erased.invalid that an erased user gets', async () => {
  const zoe = await newUser();
  const email = `${zoe.id}@ERASED.invalid`;
  const taken = { email, name: 'X', role: 'CLIENT', client_access: [own.clients] };
  expectError(await service.ask('POST /api/users', { token: admin, body: taken }), 'ERROR_VALIDATION', {
    email: 'must be an email address',
  });
  expectError(await service.ask(`PUT /api/users/${zoe.id}`, { token: admin, body: { email } }), 'ERROR_VALIDATION');
  const sub = `idp|${randomUUID()}`;
  const claims = { sub, email, email_verified: true };
  expect((await login(await service.token('CLIENT', [own.clients], claims))).status).toBe(200);
  expect(await service.sql`select from public.users where subject = ${sub}`).toEqual([]);
  expect((await erase(zoe.id)).status).toBe(204);
});

test('the function app.impossible_rows counts the rows that still hold the subject of an erased user', async () => {
  const zoe = await newUser();
  expect((await erase(zoe.id)).status).toBe(204);
  const found = `select rows from app.impossible_rows() where object = 'public.users.erased_at'`;
  expect(await service.admin(found)).toEqual([{ rows: '0' }]);
  await service.admin(`insert into app.created_clients (subject, client_id) values ($1, $2)`, [
    zoe.subject,
    own.clients,
  ]);
  await make(service, 'reclamation_history', {
    ...{ client_id: own.clients, reclamation_id: own.reclamations, changed_by: zoe.id, actor: zoe.subject },
  });
  expect(await service.admin(found)).toEqual([{ rows: '2' }]);
  await service.admin('delete from app.created_clients where subject = $1', [zoe.subject]);
  await service.admin('delete from public.reclamation_history where changed_by = $1', [zoe.id]);
});

test('the erasure of a user adds one audit record, and the user’s list of changes keeps changes of name and email without their values', async () => {
  const zoe = await userInEveryTable();
  const before = await service.sql`select count(*) from public.audit_logs`;
  const { headers } = await erase(zoe.id);
  expect(
    await service.sql`select action, resource_id, success, changed from public.audit_logs
      where request_id = ${String(headers['x-request-id'])}`,
  ).toEqual([
    {
      ...{ action: `POST /api/users/${zoe.id}/erasure`, resource_id: zoe.id, success: true },
      changed: expect.objectContaining({ email: [null, null], name: [null, null], is_active: [true, false] }),
    },
  ]);
  expect(Number((await service.sql`select count(*) from public.audit_logs`)[0]?.['count'])).toBe(
    Number(before[0]?.['count']) + 1,
  );
  const changes = await service.ask(`GET /api/users/${zoe.id}/changes`, { token: admin });
  expect((changes.json as Json[]).filter(({ field }) => field === 'name')).toEqual([
    expect.objectContaining({ old: null, new: null }),
    expect.objectContaining({ old: null, new: null, at: expect.any(String) }),
  ]);
  const data = await personalDataOf(zoe.id, admin);
  expect(dataFrom(data, 'audit_logs.user_id').length).toBeGreaterThan(0);
  expect(dataFrom(data, 'users.id')).toEqual([expect.objectContaining({ sub: expect.stringMatching(/^erased:/) })]);
});

test('a repeated request to erase a user gets 204 and writes nothing', async () => {
  const zoe = await newUser();
  expect((await erase(zoe.id)).status).toBe(204);
  const before = await stored(zoe.id);
  const again = await erase(zoe.id);
  expect([again.status, await stored(zoe.id)]).toEqual([204, before]);
  expect(
    await service.sql`select from public.audit_logs where request_id = ${String(again.headers['x-request-id'])}`,
  ).toEqual([]);
});

test('an erased user cannot come back by a login, a token or an ADMIN’s change', async () => {
  const uuid = randomUUID();
  const people = [
    await newUser(),
    await newUser('CLIENT', { subject: uuid }),
    await person(service, 'CLIENT', [own.clients]),
  ];
  const derived = `idp|${randomUUID()}`;
  const id = createSubjectUuid(service.identity.issuer, derived);
  const email = `${id}@users.example`;
  const token = await service.token('CLIENT', [own.clients], { sub: derived, email, email_verified: true });
  expect((await login(token)).json).toMatchObject({ id });
  for (const one of [...people, { id, email, subject: derived, token }]) {
    expect((await erase(one.id)).status).toBe(204);
    const newer = await service.token('ADMIN', [], { sub: one.subject, email: one.email, email_verified: true });
    for (const tried of [one.token, newer]) {
      expect((await login(tried)).status).toBe(401);
      const refused = await service.ask('GET /api/users/me', { token: tried });
      expect(refused.status).toBe(401);
      expect(
        await service.sql`select user_id, actor from public.audit_logs
            where request_id = ${String(refused.headers['x-request-id'])}`,
      ).toEqual([{ user_id: one.id, actor: expect.stringMatching(/^erased:[0-9a-f]{64}$/) }]);
    }
    expect(await service.sql`select id from public.users where email = ${one.email}`).toEqual([]);
    for (const body of [{ is_active: true }, { name: 'Zoé' }, { role: 'ADMIN' }]) {
      const answer = await service.ask(`PUT /api/users/${one.id}`, { token: admin, body });
      expectError(answer, 'ERROR_VALIDATION');
      expect(details(answer)).toEqual({ id: 'is that of an erased user' });
    }
    const given = `PUT /api/users/${one.id}/client-access/${own.clients}`;
    expectError(await service.ask(given, { token: admin }), 'ERROR_VALIDATION');
  }
});

test('an ADMIN can erase each user whom the ADMIN can change, but neither the own account nor the last ADMIN of all clients', async () => {
  const user = await newUser();
  const limitedAdmin = await service.token('ADMIN', [own.clients]);
  expect((await erase(user.id, limitedAdmin)).status).toBe(204);
  const [first, second] = [await person(service, 'ADMIN', []), await person(service, 'ADMIN', [])];
  const mine = await erase(first.id, first.token);
  expectError(mine, 'ERROR_CONFLICT');
  await service.admin(
    `update public.users set is_active = false where role = 'ADMIN' and client_access = '{}' and id <> all ($1)`,
    [[first.id, second.id]],
  );
  expect((await erase(second.id, first.token)).status).toBe(204);
  const last = await erase(first.id, await service.token('ADMIN', [], { sub: 'idp|not stored' }));
  expectError(last, 'ERROR_CONFLICT');
  expect(await stored(first.id)).toMatchObject({ email: first.email, erased_at: null });
});

describe('requests during an erasure', () => {
  const runInLine = async (zoe: Person, first: () => Promise<Answer>, second: () => Promise<Answer>) =>
    (await inLine(service, rowOf('users', zoe.id), [first, second])).map(({ status }) => status);

  test('a login that waits for the erasure of its user stores nobody', async () => {
    const zoe = await newUser();
    expect(
      await runInLine(
        zoe,
        () => erase(zoe.id),
        () => login(zoe.token),
      ),
    ).toEqual([204, 401]);
    expect(await service.sql`select id from public.users where email = ${zoe.email}`).toEqual([]);
  });

  test('a user whose login is still running when the user’s erasure begins is erased after the login', async () => {
    const email = `${randomUUID()}@users.example`;
    const id = await make(service, 'users', { role: 'CLIENT', client_access: [own.clients], email });
    const sub = `idp|${randomUUID()}`;
    const token = await service.token('CLIENT', [own.clients], { sub, email, email_verified: true });
    const zoe = { id, email, subject: sub, token };
    expect(
      await runInLine(
        zoe,
        () => login(token),
        () => erase(id),
      ),
    ).toEqual([200, 204]);
    expect([await columnsWith(email), (await login(token)).status]).toEqual([[], 401]);
  });

  test('a change of a user’s name that waits for the user’s erasure gets 400, and the audit log keeps no name from a change just before the erasure', async () => {
    const change = (zoe: Person, name: string) => () =>
      service.ask(`PUT /api/users/${zoe.id}`, { token: admin, body: { name } });
    const [late, early] = [await newUser(), await newUser()];
    const name = `Roche ${randomUUID()}`;
    expect(await runInLine(late, () => erase(late.id), change(late, name))).toEqual([204, 400]);
    expect(await runInLine(early, change(early, name), () => erase(early.id))).toEqual([200, 204]);
    expect(await columnsWith(name)).toEqual([]);
  });

  test('the erasure of a user waits for a running POST of that user, and deletes the response stored for the Idempotency-Key of the POST', async () => {
    const zoe = await newUser('ACCOUNT_MANAGER');
    const key = randomUUID();
    // The user’s POST /api/sites has written its audit record, and waits for the test, which holds a row with the same
    // Idempotency-Key.
    const sameKey = {
      text: `insert into app.idempotency_keys
        (subject, key_digest, request_digest, resource_type, resource_id, body, location)
        values ($1, $2, repeat('0', 64), 'sites', gen_random_uuid(), '', '')`,
      values: [zoe.subject, hash('sha256', key)],
    };
    const create = () =>
      service.ask('POST /api/sites', {
        ...{ token: zoe.token, body: { client_id: own.clients, site_name: 'Atelier' } },
        headers: { 'idempotency-key': key },
      });
    const answers = await inLine(service, sameKey, [create, () => erase(zoe.id)], (held) =>
      held('delete from app.idempotency_keys where subject = $1', [zoe.subject]),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 204]);
    expect(await columnsWith(zoe.subject)).toEqual(['audit_logs.actor', 'identity_changes.erased_subject']);
  });

  test.each(['with', 'without'])(
    'a request by a user (%s a stored row) gets 401 and changes nothing if the user is erased before the request writes',
    async (stored) => {
      const zoe = await newUser('ACCOUNT_MANAGER');
      const change = () =>
        service.ask(`PUT /api/sites/${own.sites}`, { token: zoe.token, body: { site_name: 'Atelier' } });
      const [answer] = await inLine(service, rowOf('sites', own.sites), [change], async () => {
        expect((await erase(zoe.id)).status).toBe(204);
        // In this case the test removes every trace of the user’s id, so that the request’s user has no row in the database.
        if (stored === 'without') {
          await service.sql`delete from public.identity_changes where user_id = ${zoe.id}`;
          await service.sql`delete from app.lost_clients where user_id = ${zoe.id}`;
          await service.sql`with other as (select gen_random_uuid() as id)
            update public.users as u set id = other.id, email = other.id || '@erased.invalid' from other where u.id = ${zoe.id}`;
        }
      });
      expect(answer?.status).toBe(401);
      expect(await service.sql`select site_name from public.sites where id = ${own.sites}`).toEqual([
        { site_name: 'Siège' },
      ]);
    },
  );

  test('a second request to erase the same user waits for the first, and both get 204', async () => {
    const zoe = await newUser();
    expect(
      await runInLine(
        zoe,
        () => erase(zoe.id),
        () => erase(zoe.id),
      ),
    ).toEqual([204, 204]);
    expect(await service.sql`select from public.identity_changes where user_id = ${zoe.id}`).toHaveLength(1);
  });
});
