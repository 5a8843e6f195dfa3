import { beforeEach, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { waiting } from '../support/held-row.ts';
import { details, expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { inLine } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* An import beside others: all of its lines are there, or none. */

let own: Tenant;
let annex: string;
let token: string;
let colleague: string;

const service = await forSuite(startService({ streams: { maxStreams: 2 } }));

beforeEach(async () => {
  own = await service.tenant('Boulangerie Martin');
  const [row] = await service.sql`insert into public.sites (client_id, site_name)
    values (${own.clients}, 'Annexe') returning id`;
  annex = String(row?.['id']);
  token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  colleague = await service.token('ACCOUNT_MANAGER', [own.clients], { sub: 'idp|colleague' });
});

/** Claims of the site, and behind them one of the other, which is in another statement where they are a thousand. */
const claims = (count: number): readonly object[] =>
  [...Array.from({ length: count - 1 }, () => own.sites), annex].map((site_id) => ({
    ...{ client_id: own.clients, site_id, claim_type: 'TF', amount: 5, tax_year: 2024 },
  }));

const send = (count: number, query = '', by = token): Promise<Answer> =>
  service.ask(`POST /api/reclamations/import${query}`, { token: by, body: claims(count) });

const imported = async (): Promise<number> =>
  (await service.sql`select from public.reclamations where client_id = ${own.clients} and tax_year = 2024`).length;

const ofAnnex = () => ({ text: 'select from public.sites where id = $1 for update', values: [annex] });
const ofClient = () => ({
  text: 'select from public.clients where id = $1 for update',
  values: [own.clients],
});
const remove = async (path: string): Promise<Answer> =>
  service.ask(`DELETE ${path}`, { token: await service.token('ADMIN') });

test('two at once do not wait for each other, and both are there', async () => {
  const answers = await inLine(service, ofAnnex(), [() => send(100), () => send(100, '', colleague)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(await imported()).toBe(200);
});

test('a second long one of the same caller is told to come again; one of another is taken', async () => {
  const [first, second, other] = await inLine(
    service,
    ofAnnex(),
    [() => send(300), () => send(300, '', colleague)],
    async () => {
      const again = await send(300);
      expectError(again, 'ERROR_RATE_LIMITED');
      expect(again.headers['retry-after']).toBe('5');
    },
  );
  expect([first?.status, second?.status, other]).toEqual([201, 201, undefined]);
  expect(await imported()).toBe(600);
});

test('one that comes behind the deletion of a site names its lines, and leaves nothing', async () => {
  const [deleted, answer] = await inLine(service, ofAnnex(), [() => remove(`/api/sites/${annex}`), () => send(1_500)]);
  expect(deleted?.status).toBe(204);
  expectError(answer as Answer, 'ERROR_NOT_FOUND');
  expect(details(answer as Answer)).toEqual({ '1499.site_id': 'names no record' });
  expect(await imported()).toBe(0);
});

test('one that is before the deletion of a site is whole, and then without what went with it', async () => {
  const [answer, deleted] = await inLine(service, ofAnnex(), [() => send(1_500), () => remove(`/api/sites/${annex}`)]);
  expect([answer?.status, deleted?.status]).toEqual([201, 204]);
  expect(await imported()).toBe(1_499);
});

test('one that meets the deletion of its client is whole or nothing, whichever comes first', async () => {
  const path = `/api/clients/${own.clients}`;
  const [deleted, late] = await inLine(service, ofClient(), [() => remove(path), () => send(100)]);
  expect([deleted?.status, late?.status]).toEqual([204, 404]);
  expect(details(late as Answer)).toMatchObject({ '0.client_id': 'names no record' });
  expect(await imported()).toBe(0);
});

test('a trial beside an import changes nothing of it, and tells of a deletion what the import would', async () => {
  const answers = await inLine(service, ofAnnex(), [
    () => send(100, '?dry_run=true'),
    () => send(100),
    () => send(100, '?dry_run=true', colleague),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
  expect(await imported()).toBe(100);
  const [, trial] = await inLine(service, ofAnnex(), [
    () => remove(`/api/sites/${annex}`),
    () => send(100, '?dry_run=true'),
  ]);
  expect(details(trial as Answer)).toEqual({ '99.site_id': 'names no record' });
  expect(await imported()).toBe(99);
});

test('one whose connection is lost in its middle is 503, and leaves neither records nor what tells of them', async () => {
  const [answer] = await inLine(service, ofAnnex(), [() => send(1_500)], async (admin) => {
    expect(await waiting(service)).toBe(1);
    await admin(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
  });
  expectError(answer as Answer, 'ERROR_UNAVAILABLE');
  expect(await imported()).toBe(0);
  const records = await service.sql`select from public.audit_logs
    where request_id = ${answer?.headers['x-request-id']}`;
  expect(records).toEqual([]);
});
