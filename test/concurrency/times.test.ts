import { beforeEach, expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { inLine, rowOf, wholeTable } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* Times that tell an order are taken when the row is held. */

let tenant: Tenant;
let token: string;

const service = await forSuite(startService());

beforeEach(async () => {
  tenant = await service.furnishedTenant('Boulangerie Martin');
  token = await service.token('ADMIN');
});

const move = (status: string) => () =>
  service.ask(`PUT /api/reclamations/${tenant.reclamations}`, { token, body: { status } });

const history = () =>
  service.sql`select from_status, to_status from public.reclamation_history
    where reclamation_id = ${tenant.reclamations} order by changed_at, id`;

test.each(['reclamations', 'reclamation_history', 'audit_logs'])(
  'moves that waited for the table %s stand in the order in which they were made',
  async (table) => {
    await service.sql`delete from public.reclamation_history where reclamation_id = ${tenant.reclamations}`;
    const answers = await inLine(service, wholeTable(table), [move('READY_FOR_REVIEW'), move('APPROVED')]);
    if (answers[1]?.status === 409) await move('APPROVED')();
    await move('SUBMITTED')();
    expect(await history()).toEqual([
      { from_status: 'DRAFT', to_status: 'READY_FOR_REVIEW' },
      { from_status: 'READY_FOR_REVIEW', to_status: 'APPROVED' },
      { from_status: 'APPROVED', to_status: 'SUBMITTED' },
    ]);
  },
);

test('a move is dated behind the one before, though a clock said otherwise', async () => {
  await service.sql`update public.reclamation_history set changed_at = '2100-01-01'
    where reclamation_id = ${tenant.reclamations}`;
  await move('READY_FOR_REVIEW')();
  const [last] = await service.sql`select changed_at > '2100-01-01' as behind from public.reclamation_history
   where reclamation_id = ${tenant.reclamations} and to_status = 'READY_FOR_REVIEW'`;
  expect(last).toEqual({ behind: true });
});

test('audit records of a row stand in the order of its versions, whoever waited, and its deletion last', async () => {
  const path = `/api/sites/${tenant.sites}`;
  const change = (site_name: string) => () => service.ask(`PUT ${path}`, { token, body: { site_name } });
  const answers = await inLine(service, rowOf('sites', tenant.sites), [change('a'), change('b'), change('c')]);
  const removed = await service.ask(`DELETE ${path}`, { token });
  const versions = answers
    .map(({ headers }) => ({ id: headers['x-request-id'], tag: headers.etag ?? '' }))
    .toSorted((one, two) => one.tag.localeCompare(two.tag));
  const records = await service.sql`select request_id from public.audit_logs
    where resource_id = ${tenant.sites} and request_id is not null order by created_at`;
  expect(records.map((record) => record['request_id'])).toEqual([
    ...versions.map(({ id }) => id),
    removed.headers['x-request-id'],
  ]);
});

test('a record is dated when it was written, not when its request began to wait', async () => {
  let released: unknown;
  const [made] = await inLine(
    service,
    wholeTable('sites'),
    [() => service.ask('POST /api/sites', { token, body: { client_id: tenant.clients, site_name: 'Neuf' } })],
    async (query) => {
      [{ released }] = (await query('select clock_timestamp() as released')) as [{ released: unknown }];
    },
  );
  const { created_at, updated_at } = made?.json as { created_at: string; updated_at: string };
  expect(new Date(created_at).getTime()).toBeGreaterThanOrEqual((released as Date).getTime());
  expect(updated_at).toBe(created_at);
});
