import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { inLine, rowOf } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* An answer is true of some moment, and what is refused is not stored. */

let tenant: Tenant;
let admin: string;
let manager: string;

const service = await forSuite(startService());

beforeEach(async () => {
  tenant = await service.furnishedTenant('Boulangerie Martin');
  admin = await service.token('ADMIN');
  manager = await service.token('ACCOUNT_MANAGER', [tenant.clients]);
});

const refusal = (answer: Answer | undefined) => expectRefusal(service, answer ?? ({} as Answer), 'ERROR_FORBIDDEN');

describe('a change of a partner by a manager', () => {
  const body = { name: 'Cabinet Renommé' };
  const nameOf = async () =>
    (await service.admin('select name from public.partners where id = $1', [tenant.partners]))[0]?.['name'];

  test.each([
    ['unlinked', () => `delete from public.client_partners where partner_id = '${tenant.partners}'`],
    [
      'deleted',
      () => `delete from public.factures where client_id = '${tenant.clients}';
             delete from public.clients where id = '${tenant.clients}'`,
    ],
  ])('whose client is %s meanwhile is refused, and nothing of it is stored', async (_how, text) => {
    // Another client keeps the partner, which would otherwise be nobody's.
    const other = (await service.tenant('Other')).clients;
    await service.sql`insert into public.client_partners (client_id, partner_id)
      values (${other}, ${tenant.partners})`;
    const before = await nameOf();
    const [answer] = await inLine(
      service,
      rowOf('partners', tenant.partners),
      [() => service.ask(`PUT /api/partners/${tenant.partners}`, { token: manager, body })],
      () => service.admin(text()),
    );
    await refusal(answer);
    expect(await nameOf()).toBe(before);
    const records = await service.sql`select success from public.audit_logs
      where request_id = ${answer?.headers['x-request-id']}`;
    expect(records).toEqual([{ success: false }]);
  });
});

test('a deletion of a partner whose links change meanwhile takes the links that are there', async () => {
  const second = (await service.tenant('Second')).clients;
  const answers = await inLine(service, rowOf('partners', tenant.partners), [
    () =>
      service.ask(`PUT /api/partners/${tenant.partners}`, {
        token: admin,
        body: { client_ids: [tenant.clients, second] },
      }),
    () => service.ask(`DELETE /api/partners/${tenant.partners}`, { token: admin }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 204]);
  expect(await service.admin('select from public.partners where id = $1', [tenant.partners])).toEqual([]);
});

describe('a change that names the present tag', () => {
  const tagOf = async (path: string) => (await service.ask(`GET ${path}`, { token: admin })).headers.etag ?? '';

  test.each([
    ['a move of a claim to where it is', 'reclamations', 'reclamations', { status: 'DRAFT' }],
    ['a move of an invoice to where it is', 'invoices', 'factures', { status: 'DRAFT' }],
    ['a move of a bill to where it is', 'partner-invoices', 'partner_invoices', { status: 'RECEIVED' }],
  ] as const)('is a conflict and not a change since: %s', async (_what, resource, table, body) => {
    const path = `/api/${resource}/${tenant[table]}`;
    const headers = { 'if-match': await tagOf(path) };
    expectError(await service.ask(`PUT ${path}`, { token: admin, headers, body }), 'ERROR_CONFLICT');
    const outdated = { 'if-match': '"1"' };
    expectError(
      await service.ask(`PUT ${path}`, { token: admin, headers: outdated, body }),
      'ERROR_PRECONDITION_FAILED',
    );
  });

  test('is a conflict for a parcel of another site of the caller’s', async () => {
    const second = await service.tenant('Second');
    const path = `/api/cadastres/${tenant.cadastres}`;
    const headers = { 'if-match': await tagOf(path) };
    const body = { site_id: second.sites };
    expectError(await service.ask(`PUT ${path}`, { token: admin, headers, body }), 'ERROR_CONFLICT');
  });
});

describe('a change that names another tenant’s record is refused and audited with its client', () => {
  test.each([
    ['a parcel of their site', 'cadastres', 'cadastres', 'site_id', 'sites', {}],
    ['a bill of their partner', 'partner-invoices', 'partner_invoices', 'partner_id', 'biller', {}],
    ['a claim of their site', 'reclamations', 'reclamations', 'site_id', 'sites', { status: 'CLOSED' }],
  ] as const)('%s, whatever else is wrong with it', async (_what, resource, table, field, kind, more) => {
    const foreign = await service.furnishedTenant('Garage Dupont');
    const path = `/api/${resource}/${tenant[table]}`;
    for (const headers of [{}, { 'if-match': '"1"' }]) {
      const body = { [field]: foreign[kind], ...more };
      const answer = await service.ask(`PUT ${path}`, { token: manager, headers, body });
      const record = await refusal(answer);
      expect(record).toMatchObject({ client_context: kind === 'biller' ? null : foreign.clients });
      const absent = { [field]: randomUUID(), ...more };
      expectError(await service.ask(`PUT ${path}`, { token: manager, headers, body: absent }), 'ERROR_NOT_FOUND');
    }
  });
});

test('a cursor that somebody made up is not valid, whatever it says', async () => {
  for (const value of ['2024-01-01 00:00:00 Foo/Bar', 'yesterday evening', '']) {
    const cursor = JSON.stringify(['sites', '-created_at', value, tenant.sites]);
    const after = Buffer.from(cursor).toString('base64url');
    expectError(await service.ask(`GET /api/sites?after=${after}`, { token: manager }), 'ERROR_VALIDATION');
  }
});

test('the number of a list and its records are of one moment, whatever is made and deleted meanwhile', async () => {
  const progress = { done: false };
  const making = (async () => {
    for (let times = 0; times < 60; times += 1) {
      const id = randomUUID();
      await service.sql`insert into public.sites (id, client_id, site_name)
        values (${id}, ${tenant.clients}, 'Neuf')`;
      if (times % 3 === 0) await service.admin('delete from public.sites where id = $1', [id]);
    }
    progress.done = true;
  })();
  const totals = new Set<string>();
  while (!progress.done) {
    const answer = await service.ask('GET /api/sites?count=exact', { token: manager });
    expect((answer.json as unknown[]).length).toBe(Number(answer.headers['x-total-count']));
    totals.add(String(answer.headers['x-total-count']));
  }
  await making;
  expect(totals.size).toBeGreaterThan(1);
});

test('a list without a record tells how many there are all the same', async () => {
  const answer = await service.ask('GET /api/sites?count=exact&offset=5', { token: manager });
  expect(answer).toMatchObject({ status: 200, json: [], headers: { 'x-total-count': '1' } });
});
