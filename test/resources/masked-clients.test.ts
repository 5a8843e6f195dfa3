import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { connected } from '../support/database.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { make } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { ROWS } from './access.ts';

/*
 * This suite tests that no response to a caller with a list of clients has the id of another client in any text, or a
 * name that a user had before the user shared a client with the caller.
 */

const service = await forSuite(startService());
await service.admin('update app.identity_management set managed_since = now()');
const own = await service.furnishedTenant('Boulangerie Martin');
const foreign = await service.furnishedTenant('Garage Dupont');
const mark = foreign.clients;
const admin = await service.token('ADMIN');
await make(service, 'client_partners', { client_id: mark, partner_id: own.partners });

/** All substrings of 12 characters of another tenant’s client id. The tests look for these substrings in responses. */
const PARTS = Array.from({ length: mark.length - 11 }, (_, start) => mark.slice(start, start + 12));
const partsIn = (text: string): string[] => PARTS.filter((part) => text.toLowerCase().includes(part));

async function expectStatus(line: string, token: string, status: number, body?: object): Promise<void> {
  expect([line, (await service.ask(line, { token, ...(body && { body }) })).status]).toEqual([line, status]);
}

/** Creates a user who has access to the test’s own client, and once had access to another tenant’s client. */
async function formerUser(role: Role): Promise<Person> {
  const user = await person(service, role, [own.clients], { subject: `idp|${randomUUID()}` });
  const { id, subject, email, token } = user;
  const access = `/api/users/${id}/client-access/${mark}`;
  await expectStatus(`PUT ${access}`, admin, 200);
  const former = await service.token(role, [own.clients, mark], { sub: subject, email });
  await expectStatus(`GET /api/clients/${mark}`, former, 200);
  if (role !== 'ADMIN') await expectStatus(`DELETE /api/clients/${mark}`, former, 403);
  await service.admin('insert into app.created_clients (subject, client_id) values ($1, $2)', [subject, mark]);
  await service.admin(
    `insert into app.idempotency_keys (subject, key_digest, request_digest, resource_type, resource_id, body, location)
     values ($1, $2, $2, 'clients', $3, '{}', 'x')`,
    [subject, createHash('sha256').update(subject).digest('hex'), mark],
  );
  await expectStatus(`DELETE ${access}`, admin, 204);
  const encoded = mark.replaceAll(/[a-f]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  for (const written of [mark, mark.toUpperCase(), encoded])
    await expectStatus(`GET /api/clients/${written}/reclamations`, token, 403);
  await expectStatus(`PUT /api/users/${id}/client-access/${mark}`, token, 403);
  const record = { action: `GET /api/clients/${mark}`, resource_type: 'clients', resource_id: mark };
  for (const context of [{ client_context: mark }, {}])
    for (const who of [{ actor: subject }, { actor: subject, user_id: id }])
      await make(service, 'audit_logs', { ...record, ...context, ...who, success: false, error_message: `no ${mark}` });
  return user;
}

/** Reads a path of the API as JSON and as CSV, and returns the texts of both responses. */
async function read(path: string, token: string): Promise<string> {
  const answers = [
    await service.ask(`GET ${path}`, { token }),
    await service.ask(`GET ${path}`, { token, headers: { accept: 'text/csv, */*;q=0.1' } }),
  ];
  return answers.map(({ status, text }) => (status === 200 ? text : '')).join('\n');
}

const personalData = ({ id }: Person, token: string): Promise<string> => read(`/api/users/${id}/personal-data`, token);

test('an ADMIN of one client reads the id of no other client in the personal data of a user', async () => {
  const user = await formerUser('TAX_SPECIALIST');
  const limited = await service.token('ADMIN', [own.clients]);
  const found = await personalData(user, limited);
  expect(partsIn(found)).toEqual([]);
  expect(found).toContain('/client-access/{clientId}');
  expect(partsIn(await personalData(user, admin))).toEqual(PARTS);
});

test.each(['CLIENT', 'TAX_SPECIALIST', 'ACCOUNT_MANAGER', 'ADMIN'] as const)(
  'a user with the role %s who lost access to a client does not find that client’s id in the own personal data and list of changes',
  async (role) => {
    const user = await formerUser(role);
    expect(partsIn(await personalData(user, user.token))).toEqual([]);
    expect(partsIn(await read(`/api/users/${user.id}/changes`, user.token))).toEqual([]);
    expect(await personalData(user, user.token)).toContain('"audit_logs.user_id"');
    expect(partsIn(await personalData(user, admin))).toEqual(PARTS);
  },
);

test.each(['ADMIN', 'CLIENT'] as const)(
  'a caller with the role %s and one client reads the id of no other client at any endpoint',
  async (role) => {
    const { id } = await formerUser('TAX_SPECIALIST');
    await make(service, 'audit_logs', {
      ...{ action: `PUT /api/users/${id}/client-access/${mark}`.slice(0, 100), resource_type: 'reclamations' },
      ...{ resource_id: own.reclamations, client_context: own.clients, success: true, actor: 'x' },
      error_message: `CLIENT may not PUT /api/users/${id}/client-access/${mark}`,
    });
    const reader = await person(service, role, [own.clients]);
    const place = ((await service.ask('GET /api/changes', { token: admin })).json as { next: string }).next;
    await formerUser('CLIENT');
    let texts = 0;
    for (const { line, ids = {} } of [...ROWS, { line: `GET /api/changes?after=${place}` }]) {
      const [method, path = ''] = line.split(' ');
      if (method !== 'GET') continue;
      const users = Object.values(ids).includes('users') ? [own.users, id, reader.id] : [own.users];
      for (const user of users) {
        const tenant = { ...own, users: user };
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => tenant[ids[name] ?? 'clients']);
        const text = await read(filled, reader.token);
        expect([filled, partsIn(text)]).toEqual([filled, []]);
        if (text.length > 1) texts += 1;
      }
    }
    expect(texts).toBeGreaterThan(role === 'ADMIN' ? 40 : 20);
  },
);

test('a reporting login with one client reads the id of no other client in any view', async () => {
  await formerUser('TAX_SPECIALIST');
  const login = await createReportingLogin(service.postgres);
  await service.admin('select reporting.grant_client($1, $2)', [login.name, own.clients]);
  const bi = await connected(login.url);
  try {
    const { rows: views } = await bi.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class as c
       where c.relnamespace = 'reporting'::regnamespace and c.relkind = 'v' and has_table_privilege(c.oid, 'SELECT')`,
    );
    expect(views.length).toBeGreaterThan(15);
    for (const { name } of views) {
      const { rows } = await bi.query<{ text: string | null }>(
        `select string_agg(v::text, ' ') as text from ${name} as v`,
      );
      expect([name, partsIn(rows[0]?.text ?? '')]).toEqual([name, []]);
    }
    expect((await bi.query('select from reporting.assignments')).rowCount).toBeGreaterThan(0);
  } finally {
    await bi.end();
    await login.drop();
  }
});

test('an ADMIN and an account manager read the names and emails of a user only since the user shares a client with them', async () => {
  const user = await person(service, 'TAX_SPECIALIST', [mark], { name: 'Nom premier', email: 'premier@b.example' });
  const rename = async (name: string): Promise<void> => {
    await expectStatus(`PUT /api/users/${user.id}`, admin, 200, { name: `Nom ${name}`, email: `${name}@b.example` });
  };
  await rename('deuxieme');
  await expectStatus(`PUT /api/users/${user.id}/client-access/${own.clients}`, admin, 200);
  await expectStatus(`DELETE /api/users/${user.id}/client-access/${mark}`, admin, 204);
  await rename('troisieme');
  await service.admin(
    `insert into app.reminders (user_id, day, told_until, waits_since, last_error)
     values ($1, '2020-01-02', '2020-01-01', now(), '550 <premier@b.example>: unknown')`,
    [user.id],
  );
  const limited = await service.token('ADMIN', [own.clients]);
  const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);
  for (const text of [
    await personalData(user, limited),
    await read(`/api/users/${user.id}/changes`, limited),
    await read(`/api/users/${user.id}/changes`, manager),
  ]) {
    expect(text).not.toContain('premier');
    expect(text).toContain('"Nom deuxieme"');
    expect(text).toContain('troisieme@b.example');
  }
  for (const path of ['personal-data', 'changes'])
    expect(await read(`/api/users/${user.id}/${path}`, admin)).toContain('premier@b.example');
});
