import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import type { Answer, Question } from '../support/http.ts';
import { inLine, waiting } from '../support/held-row.ts';
import { details, expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* These tests import claims while another request imports claims or deletes their site or client. */

let own: Tenant;
let annex: string;
let token: string;
let colleague: string;

const service = await forSuite(startService({ streams: { maxStreams: 2 } }));
const admin = await service.token('ADMIN');

beforeEach(async () => {
  own = await service.tenant('Boulangerie Martin');
  const [row] = await service.sql`insert into public.sites (client_id, site_name)
    values (${own.clients}, 'Annexe') returning id`;
  annex = String(row?.['id']);
  token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  colleague = await service.token('ACCOUNT_MANAGER', [own.clients], { sub: 'idp|colleague' });
});

/**
 * Imports claims of the site `own.sites`, and in the last line a claim of a second site, `annex`. One SQL statement
 * inserts at most 1,000 of the lines.
 */
const send = (count: number, { query = '', ...more }: Question & { query?: string } = {}): Promise<Answer> =>
  service.ask(`POST /api/reclamations/import${query}`, {
    token,
    ...more,
    body: [...Array.from({ length: count - 1 }, () => own.sites), annex].map((site_id) => ({
      ...{ client_id: own.clients, site_id, claim_type: 'TF', amount: 5, tax_year: 2024 },
    })),
  });

const imported = async (): Promise<number> =>
  (await service.sql`select from public.reclamations where client_id = ${own.clients} and tax_year = 2024`).length;

const lockOf = (table: 'sites' | 'clients', id: string) => ({
  text: `select from public.${table} where id = $1 for update`,
  values: [id],
});
const remove = (path: string): Promise<Answer> => service.ask(`DELETE ${path}`, { token: admin });

test('while a caller’s long import of claims runs, a second import by this caller gets 429 with Retry-After, but an import by a colleague succeeds', async () => {
  const answers = await inLine(
    service,
    lockOf('sites', annex),
    [() => send(300), () => send(300, { token: colleague })],
    async () => {
      const again = await send(300);
      expectError(again, 'ERROR_RATE_LIMITED');
      expect(again.headers['retry-after']).toBe('5');
    },
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(await imported()).toBe(600);
});

test('if an import of claims waits for a site’s deletion, the import gets 404 that names the lines with this site, and stores nothing', async () => {
  const requests = [() => remove(`/api/sites/${annex}`), () => send(1_500)];
  const [deleted, answer = {} as Answer] = await inLine(service, lockOf('sites', annex), requests);
  expect(deleted?.status).toBe(204);
  expectError(answer, 'ERROR_NOT_FOUND');
  expect(details(answer)).toEqual({ '1499.site_id': 'does not exist' });
  expect(await imported()).toBe(0);
});

test('if a site’s deletion waits for an import, the deletion also removes the claim that the import adds to the site', async () => {
  const requests = [() => send(1_500), () => remove(`/api/sites/${annex}`)];
  const answers = await inLine(service, lockOf('sites', annex), requests);
  expect(answers.map(({ status }) => status)).toEqual([201, 204]);
  expect(await imported()).toBe(1_499);
});

test('if an import of claims waits for the deletion of its client, the import gets 404 that names the client', async () => {
  const requests = [() => remove(`/api/clients/${own.clients}`), () => send(100)];
  const answers = await inLine(service, lockOf('clients', own.clients), requests);
  expect(answers.map(({ status }) => status)).toEqual([204, 404]);
  expect(details(answers[1] ?? ({} as Answer))).toMatchObject({ '0.client_id': 'does not exist' });
});

test('a dry run of an import of claims does not affect a simultaneous import, and names the lines with a site that was just deleted', async () => {
  const answers = await inLine(service, lockOf('sites', annex), [
    () => send(100, { query: '?dry_run=true' }),
    () => send(100),
    () => send(100, { query: '?dry_run=true', token: colleague }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
  expect(await imported()).toBe(100);
  const requests = [() => remove(`/api/sites/${annex}`), () => send(100, { query: '?dry_run=true' })];
  const [, trial = {} as Answer] = await inLine(service, lockOf('sites', annex), requests);
  expect(details(trial)).toEqual({ '99.site_id': 'does not exist' });
  expect(await imported()).toBe(99);
});

test('an import whose database connection breaks gets 503, stores no claim, and succeeds with the same Idempotency-Key', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [answer = {} as Answer] = await inLine(
    service,
    lockOf('sites', annex),
    [() => send(1_500, { headers })],
    async (query) => {
      expect(await waiting(service)).toBe(1);
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
    },
  );
  expectError(answer, 'ERROR_UNAVAILABLE');
  expect(await imported()).toBe(0);
  const id = answer.headers['x-request-id'];
  expect(await service.sql`select from public.audit_logs where request_id = ${id}`).toEqual([]);
  expect((await send(1_500, { headers })).json).toMatchObject({ imported: 1_500 });
});
