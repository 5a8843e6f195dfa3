import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { inLine, rowOf, wholeTable } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests change a client’s records while other requests change or read the same records. They check the status of
 * each response and the order and dates of the changes.
 */

let tenant: Tenant;
let manager: string;

const service = await forSuite(startService());
const admin = await service.token('ADMIN');

beforeEach(async () => {
  tenant = await service.furnishedTenant('Boulangerie Martin');
  manager = await service.token('ACCOUNT_MANAGER', [tenant.clients]);
});

test.each<{ what: string; sql: (tenant: Tenant) => string }>([
  {
    what: 'unlinked from the partner',
    sql: ({ partners, clients }) =>
      `delete from public.client_partners where partner_id = '${partners}' and client_id = '${clients}'`,
  },
  {
    what: 'deleted',
    sql: ({ clients }) => `delete from public.factures where client_id = '${clients}';
      delete from public.clients where id = '${clients}'`,
  },
])(
  'an account manager’s change of a partner gets 403 if the partner’s client is $what while the change waits for a lock',
  async ({ sql }) => {
    const { partners: id } = tenant;
    const other = (await service.tenant('Other')).clients;
    await service.sql`insert into public.client_partners (client_id, partner_id) values (${other}, ${id})`;
    const read = () => service.admin('select * from public.partners where id = $1', [id]);
    const before = await read();
    const rename = () => service.ask(`PUT /api/partners/${id}`, { token: manager, body: { name: 'Cabinet Renommé' } });
    const [answer = {} as Answer] = await inLine(service, rowOf('partners', id), [rename], (query) =>
      query(sql(tenant)),
    );
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
    expect((await read())[0]?.['name']).toBe(before[0]?.['name']);
  },
);

test('if a partner’s deletion waits for a change that links the partner to clients, the deletion also removes the new links', async () => {
  const path = `/api/partners/${tenant.partners}`;
  const body = { client_ids: [tenant.clients, (await service.tenant('Second')).clients] };
  const answers = await inLine(service, rowOf('partners', tenant.partners), [
    () => service.ask(`PUT ${path}`, { token: admin, body }),
    () => service.ask(`DELETE ${path}`, { token: admin }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 204]);
  expect(await service.admin('select from public.partners where id = $1', [tenant.partners])).toEqual([]);
});

test.each([
  { resource: 'reclamations', table: 'reclamations', status: 'DRAFT' },
  { resource: 'invoices', table: 'factures', status: 'DRAFT' },
  { resource: 'partner-invoices', table: 'partner_invoices', status: 'RECEIVED' },
] as const)(
  'if a request sets one of the $resource to the status that it already has, it gets 409 with the present ETag and 412 with an older one',
  async ({ resource, table, status }) => {
    const path = `/api/${resource}/${tenant[table]}`;
    const { etag = '' } = (await service.ask(`GET ${path}`, { token: admin })).headers;
    const put = (tag: string) =>
      service.ask(`PUT ${path}`, { token: admin, headers: { 'if-match': tag }, body: { status } });
    expectError(await put(etag), 'ERROR_CONFLICT');
    expectError(await put('"1"'), 'ERROR_PRECONDITION_FAILED');
  },
);

test('a request to move a parcel to a site of another client gets 409', async () => {
  const path = `/api/cadastres/${tenant.cadastres}`;
  const { etag = '' } = (await service.ask(`GET ${path}`, { token: admin })).headers;
  const body = { site_id: (await service.tenant('Second')).sites };
  expectError(
    await service.ask(`PUT ${path}`, { token: admin, headers: { 'if-match': etag }, body }),
    'ERROR_CONFLICT',
  );
});

test.each([
  { resource: 'cadastres', table: 'cadastres', field: 'site_id', kind: 'sites' },
  { resource: 'partner-invoices', table: 'partner_invoices', field: 'partner_id', kind: 'biller' },
  { resource: 'reclamations', table: 'reclamations', field: 'site_id', kind: 'sites', status: 'CLOSED' },
] as const)(
  'if a request gives one of the $resource a $field of another tenant, it gets 403 and an audit record, even with an older ETag',
  async ({ resource, table, field, kind, ...more }) => {
    const foreign = await service.furnishedTenant('Garage Dupont');
    const status = 'status' in more ? { status: more.status } : {};
    for (const headers of [{}, { 'if-match': '"1"' }]) {
      const put = (id: string) =>
        service.ask(`PUT /api/${resource}/${tenant[table]}`, {
          ...{ token: manager, headers },
          body: { [field]: id, ...status },
        });
      const record = await expectRefusal(service, await put(foreign[kind]), 'ERROR_FORBIDDEN');
      expect(record).toMatchObject({ client_context: kind === 'biller' ? null : foreign.clients });
      expectError(await put(randomUUID()), 'ERROR_NOT_FOUND');
    }
  },
);

test('the header X-Total-Count agrees with the records of its response even while other sessions create and delete records', async () => {
  const progress = { done: false };
  const making = (async () => {
    for (let times = 0; times < 60; times += 1) {
      const id = randomUUID();
      await service.sql`insert into public.sites (id, client_id, site_name) values (${id}, ${tenant.clients}, 'Neuf')`;
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

test('the service dates each change of a claim’s status after the previous one, even if the previous date is in the future', async () => {
  const { reclamations: id } = tenant;
  await service.sql`update public.reclamation_history set changed_at = '2100-01-01' where reclamation_id = ${id}`;
  await service.ask(`PUT /api/reclamations/${id}`, { token: admin, body: { status: 'READY_FOR_REVIEW' } });
  const [last] = await service.sql`select changed_at > '2100-01-01' as is_after from public.reclamation_history
    where reclamation_id = ${id} and to_status = 'READY_FOR_REVIEW'`;
  expect(last).toEqual({ is_after: true });
});

test('if the creation of a record waits for a lock, the record’s created_at is after the wait', async () => {
  const body = { client_id: tenant.clients, site_name: 'Neuf' };
  let released: unknown;
  const [made] = await inLine(
    service,
    wholeTable('sites'),
    [() => service.ask('POST /api/sites', { token: admin, body })],
    async (query) => {
      [{ released }] = (await query('select clock_timestamp() as released')) as [{ released: unknown }];
    },
  );
  const { created_at, updated_at } = made?.json as { created_at: string; updated_at: string };
  expect(new Date(created_at).getTime()).toBeGreaterThanOrEqual((released as Date).getTime());
  expect(updated_at).toBe(created_at);
});
