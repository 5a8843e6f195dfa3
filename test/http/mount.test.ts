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

/*
 * To test the code that all endpoints share, these tests define small endpoints of their own. Two of these endpoints
 * are wrong on purpose.
 */

const site = { tag: 'Sites', summary: 'x', resource: 'sites', responses: { 200: z.looseObject({}) } };

/** The shape of a record that the SQL returns as one column of JSON text. */
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
  formatEtag: (time) => time,
  fixed: [],
  derived: {},
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

/** An endpoint that is wrongly open to CLIENT, a role without the right to insert sites. */
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

/** An endpoint that wrongly inserts a row in a GET. */
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

/** An endpoint whose second statement needs the result of its first; with ?fail=yes a third statement fails. */
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

/** An endpoint that answers with the role and the clients of its transaction. */
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

describe('an endpoint of one record tells a foreign record from a missing one', () => {
  test('a user with the role CLIENT reads a site of the user’s own client by the site’s id', async () => {
    const answer = await service.ask(`GET /sites/${own.sites}`, { token: asClient });
    expect(answer).toMatchObject({ status: 200, text: `{"id":"${own.sites}"}` });
  });

  test('a user with the role CLIENT gets 403 for a site of another tenant, and the refusal is audited once with that tenant’s client', async () => {
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

  test('a user with the role CLIENT gets 404 for a site id that does not exist', async () => {
    expectError(await service.ask(`GET /sites/${randomUUID()}`, { token: asClient }), 'ERROR_NOT_FOUND');
  });
});

describe('the service refuses a request before its body has arrived', () => {
  const begin = async (authorization: string): Promise<Answer> => {
    const head = ['POST /sites HTTP/1.1', 'Host: h', authorization, 'Content-Type: application/json'];
    const bytes = [...head, 'Content-Length: 1000', 'Connection: close', '', ''].join('\r\n');
    return parseRaw(await askRaw(service.port, bytes)).answer;
  };

  test('a role without the right gets 403 before the request’s body arrives, and the refusal is audited once', async () => {
    const token = await service.token('TAX_SPECIALIST', [own.clients]);
    await expectRefusal(service, await begin(`Authorization: Bearer ${token}`), 'ERROR_FORBIDDEN');
  });

  test('a request without a token gets 401 before its body arrives, and the refusal is audited once', async () => {
    await expectRefusal(service, await begin('X: x'), 'ERROR_UNAUTHORIZED');
  });

  test('an unknown query parameter gets 400 before the body is parsed', async () => {
    const answer = await service.ask('POST /sites?colour=red', { token: asManager, body: 'not JSON' });
    expectError(answer, 'ERROR_VALIDATION', { colour: 'is not known here' });
  });
});

describe('the service checks a body’s client before it queries the database', () => {
  const body = (tenant: Tenant) => ({ client_id: tenant.clients.toUpperCase(), site_name: 'Entrepôt' });

  test('a body that names another tenant’s client gets 403 without a query to the database, and the refusal is audited once', async () => {
    const before = service.runs;
    const answer = await service.ask('POST /sites', { token: asManager, body: body(foreign) });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN', {
      resource_type: 'sites',
      client_context: foreign.clients,
    });
    expect(service.runs).toBe(before);
  });

  test('a body with an unknown field gets 400 even if it names another tenant’s client', async () => {
    const answer = await service.ask('POST /sites', {
      token: asManager,
      body: { ...body(foreign), colour: 1 },
    });
    expectError(answer, 'ERROR_VALIDATION');
  });

  test('an endpoint that admits a role without the database right to insert answers 503, and inserts nothing', async () => {
    const count = () => service.admin('select count(*) from public.sites where client_id = $1', [own.clients]);
    const before = await count();
    expectError(await service.ask('POST /sites', { token: asClient, body: body(own) }), 'ERROR_UNAVAILABLE');
    expect(await count()).toEqual(before);
    expect((await service.ask('POST /sites', { token: asManager, body: body(own) })).status).toBe(201);
    expect(await count()).not.toEqual(before);
  });
});

describe('the transaction of a request has only the rights that the request needs', () => {
  test('the transaction of a request that names one client has rights to that client only', async () => {
    const both = [own.clients, foreign.clients];
    const token = await service.token('ACCOUNT_MANAGER', both);
    const narrow = await service.ask(`GET /rights?client_id=${own.clients}`, { token });
    expect(narrow.json).toMatchObject({ as: 'taxclaims_account_manager', clients: [own.clients] });
    const wide = await service.ask('GET /rights', { token });
    expect(wide.json).toMatchObject({ clients: both.toSorted() });
  });

  test('the transaction of an ADMIN’s request that names one client has rights to that client only', async () => {
    const token = await service.token('ADMIN');
    const narrow = await service.ask(`GET /rights?client_id=${own.clients}`, { token });
    expect(narrow.json).toMatchObject({ as: 'taxclaims_scoped_admin', clients: [own.clients] });
    expect((await service.ask('GET /rights', { token })).json).toMatchObject({ as: 'taxclaims_admin' });
  });
});

test('a GET endpoint that tries to insert a row gets 500, and inserts nothing', async () => {
  expectError(await service.ask('GET /write-on-read', { token: asManager }), 'ERROR_INTERNAL');
  expect(await service.admin(`select from public.sites where site_name = 'x'`)).toEqual([]);
});

describe('an endpoint with several statements runs them in one transaction', () => {
  const names = async () =>
    (await service.admin(`select site_name from public.sites where site_name ~ '^(first|after)' order by 1`)).length;

  test('an endpoint with several statements keeps no row if its last statement fails', async () => {
    expectError(await service.ask(`POST /pairs/${own.clients}?fail=yes`, { token: asManager }), 'ERROR_INTERNAL');
    expect(await names()).toBe(0);
    expect((await service.ask(`POST /pairs/${own.clients}`, { token: asManager })).status).toBe(200);
    expect(await names()).toBe(2);
  });

  test('an endpoint with several statements inserts nothing for an inactive user, who gets 401', async () => {
    const { token } = await person(service, 'ACCOUNT_MANAGER', [own.clients], { is_active: false });
    const before = await names();
    const answer = await service.ask(`POST /pairs/${own.clients}`, { token });
    await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
    expect(await names()).toBe(before);
  });
});
