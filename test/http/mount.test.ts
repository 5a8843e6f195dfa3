import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import type { RecordShape } from '../../src/http/endpoint.ts';
import { uuid } from '../../src/http/fields.ts';
import { ROLES } from '../../src/identity/caller.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * To test the code that all endpoints share, these tests define small endpoints of their own. One of these endpoints is
 * wrong on purpose.
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

const service = await forSuite(startService({ endpoints: [readRights, writeOnRead] }));
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const asManager = await service.token('ACCOUNT_MANAGER', [own.clients]);

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
