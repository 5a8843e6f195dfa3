import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import type { RecordShape } from '../../src/http/endpoint.ts';
import { uuid } from '../../src/http/fields.ts';
import { askRaw, parseRaw } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { ROLES } from '../../src/identity/caller.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/* Endpoints of kinds that the service has none of yet, on the mechanism that all of them share. */

const site = { tag: 'Sites', summary: 'x', resource: 'sites', responses: { 200: z.looseObject({}) } };

/** Rows of one column of JSON text. */
const json: RecordShape = {
  ...{
    name: 'Anything',
    table: 'sites',
    schema: z.looseObject({}),
    width: 1,
    version: undefined,
    versionOf: () => undefined,
  },
  write: ([text]) => text ?? '',
  tag: () => undefined,
  fields: ['text'],
  cells: () => [],
  isAlwaysTagged: false,
  exampleId: undefined,
  tagOf: (time) => time,
  fixed: [],
  hasMoves: false,
  hasDocuments: false,
};

const readSite = endpoint({
  ...site,
  method: 'get',
  path: '/sites/{id}',
  roles: ['CLIENT', 'ADMIN'],
  params: z.strictObject({ id: uuid }),
  id: ({ params }) => params.id,
  of: json,
  read: ({ params }) => ({
    text: 'select to_json(r)::text from (select id from public.sites where id = $1) r',
    values: [params.id],
  }),
});

/** Wrongly open to CLIENT, whom no grant lets write. */
const createSite = endpoint({
  ...site,
  method: 'post',
  path: '/sites',
  roles: ['CLIENT', 'ACCOUNT_MANAGER'],
  body: z.strictObject({ client_id: uuid, site_name: z.string() }),
  client: ({ body }) => body.client_id,
  of: json,
  create: ({ body }) => ({
    text: `insert into public.sites (client_id, site_name) values ($1, $2) returning json_build_object('id', id)`,
    values: [body.client_id, body.site_name],
  }),
});

/** Wrongly a GET. */
const writeOnRead = endpoint({
  ...site,
  method: 'get',
  path: '/write-on-read',
  roles: ['ACCOUNT_MANAGER'],
  of: json,
  read: (_input, { clientAccess }) => ({
    text: `insert into public.sites (client_id, site_name) values (($1::uuid[])[1], 'x') returning '{}'`,
    values: [clientAccess],
  }),
});

/** Two statements, the second of which needs the first; and a third that fails where asked. */
const createTwoSites = endpoint({
  ...site,
  method: 'post',
  path: '/pairs/{clientId}',
  roles: ['ACCOUNT_MANAGER'],
  params: z.strictObject({ clientId: uuid }),
  query: z.strictObject({ fail: z.literal('yes').optional() }),
  client: ({ params }) => params.clientId,
  handle: async ({ params, query }, request) =>
    request.transaction(async (run) => {
      const text = 'insert into public.sites (client_id, site_name) values ($1, $2) returning id';
      const first = await run({ text, values: [params.clientId, 'first'] });
      const name = `after ${first.rows.join()}`;
      await run({ text, values: [params.clientId, name] });
      if (query.fail === 'yes') await run({ text: 'select 1 / 0', values: [] });
      return { status: 200, body: JSON.stringify({ name }) };
    }),
});

/** Tells what the transaction may touch. */
const readRights = endpoint({
  ...site,
  method: 'get',
  path: '/rights',
  roles: ROLES,
  query: z.strictObject({ client_id: uuid.optional() }),
  client: ({ query }) => query.client_id,
  of: json,
  read: () => ({
    text: `select json_build_object('role', app.role(), 'as', current_user, 'clients', app.client_access())`,
    values: [],
  }),
});

const endpoints = [readRights, readSite, createSite, writeOnRead, createTwoSites];

const service = await forSuite(startService({ endpoints }));
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const asClient = await service.token('CLIENT', [own.clients]);
const asManager = await service.token('ACCOUNT_MANAGER', [own.clients]);

describe('a caller who names a record by its id', () => {
  test('gets their own', async () => {
    const answer = await service.ask(`GET /sites/${own.sites}`, { token: asClient });
    expect(answer).toMatchObject({ status: 200, text: `{"id":"${own.sites}"}` });
  });

  test('is refused another tenant’s, audited once with its client', async () => {
    const answer = await service.ask(`GET /sites/${foreign.sites}`, { token: asClient });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN', {
      actor: 'idp|CLIENT',
      action: `GET /sites/${foreign.sites}`,
      resource_type: 'sites',
      resource_id: foreign.sites,
      client_context: foreign.clients,
    });
    const admin = await service.token('ADMIN');
    expect((await service.ask(`GET /sites/${foreign.sites}`, { token: admin })).status).toBe(200);
  });

  test('is told that there is none', async () => {
    expectError(await service.ask(`GET /sites/${randomUUID()}`, { token: asClient }), 'ERROR_NOT_FOUND');
  });
});

describe('before a byte of the body is sent', () => {
  const begin = async (authorization: string): Promise<Answer> => {
    const head = ['POST /sites HTTP/1.1', 'Host: h', authorization, 'Content-Type: application/json'];
    const bytes = [...head, 'Content-Length: 1000', 'Connection: close', '', ''].join('\r\n');
    return parseRaw(await askRaw(service.port, bytes)).answer;
  };

  test('a wrong role is refused, audited once', async () => {
    const token = await service.token('TAX_SPECIALIST', [own.clients]);
    await expectRefusal(service, await begin(`Authorization: Bearer ${token}`), 'ERROR_FORBIDDEN');
  });

  test('a missing token is refused, audited once', async () => {
    await expectRefusal(service, await begin('X: x'), 'ERROR_UNAUTHORIZED');
  });

  test('a path and a query are held against their schemas', async () => {
    const answer = await service.ask('POST /sites?colour=red', { token: asManager, body: 'not JSON' });
    expectError(answer, 'ERROR_VALIDATION', { colour: 'is not known here' });
  });
});

describe('a caller who names a client in the body', () => {
  const body = (tenant: Tenant) => ({ client_id: tenant.clients.toUpperCase(), site_name: 'Entrepôt' });

  test('is refused a foreign one before the database is asked, audited once', async () => {
    const before = service.runs;
    const answer = await service.ask('POST /sites', { token: asManager, body: body(foreign) });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN', {
      resource_type: 'sites',
      client_context: foreign.clients,
    });
    expect(service.runs).toBe(before);
  });

  test('is told of a malformed body before that', async () => {
    const answer = await service.ask('POST /sites', {
      token: asManager,
      body: { ...body(foreign), colour: 1 },
    });
    expectError(answer, 'ERROR_VALIDATION');
  });

  test('is told of a fault of ours where the endpoint lets through whom no grant does, and nothing is written', async () => {
    const count = () => service.admin('select count(*) from public.sites where client_id = $1', [own.clients]);
    const before = await count();
    expectError(await service.ask('POST /sites', { token: asClient, body: body(own) }), 'ERROR_UNAVAILABLE');
    expect(await count()).toEqual(before);
    expect((await service.ask('POST /sites', { token: asManager, body: body(own) })).status).toBe(201);
    expect(await count()).not.toEqual(before);
  });
});

describe('the transaction of a request', () => {
  test('that names a client holds no right to another', async () => {
    const both = [own.clients, foreign.clients];
    const token = await service.token('ACCOUNT_MANAGER', both);
    const narrow = await service.ask(`GET /rights?client_id=${own.clients}`, { token });
    expect(narrow.json).toMatchObject({ as: 'taxclaims_account_manager', clients: [own.clients] });
    const wide = await service.ask('GET /rights', { token });
    expect(wide.json).toMatchObject({ clients: both.toSorted() });
  });

  test('that names a client holds no right to another, not even for an ADMIN of the whole system', async () => {
    const token = await service.token('ADMIN');
    const narrow = await service.ask(`GET /rights?client_id=${own.clients}`, { token });
    expect(narrow.json).toMatchObject({ as: 'taxclaims_scoped_admin', clients: [own.clients] });
    expect((await service.ask('GET /rights', { token })).json).toMatchObject({ as: 'taxclaims_admin' });
  });
});

test('a GET that would write is a defect of the service, and writes nothing', async () => {
  expectError(await service.ask('GET /write-on-read', { token: asManager }), 'ERROR_INTERNAL');
  expect(await service.admin(`select from public.sites where site_name = 'x'`)).toEqual([]);
});

describe('an endpoint of several statements', () => {
  const names = async () =>
    (await service.admin(`select site_name from public.sites where site_name ~ '^(first|after)' order by 1`)).length;

  test('has all of them or none', async () => {
    expectError(await service.ask(`POST /pairs/${own.clients}?fail=yes`, { token: asManager }), 'ERROR_INTERNAL');
    expect(await names()).toBe(0);
    expect((await service.ask(`POST /pairs/${own.clients}`, { token: asManager })).status).toBe(200);
    expect(await names()).toBe(2);
  });

  test('is not begun for a token whose rights were taken back', async () => {
    const { token } = await person(service, 'ACCOUNT_MANAGER', [own.clients], { is_active: false });
    const before = await names();
    const answer = await service.ask(`POST /pairs/${own.clients}`, { token });
    await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
    expect(await names()).toBe(before);
  });
});
