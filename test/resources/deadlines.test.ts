import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { reclamationStatus } from '../../src/resources/reclamation-record.ts';
import { document } from '../support/described.ts';
import { expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { readPages } from './paging.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';
import { words } from '../support/words.ts';

/* This suite tests GET /api/deadlines, the list of coming deadlines. */

/** Returns the SQL of the date that is the given number of days after today in Europe/Paris. */
const day = (days: number): string => `((now() at time zone 'Europe/Paris')::date + ${days})`;

/**
 * Inserts two claims: for one the response of the tax office is due in `response` days, for the other the court
 * deadline is in `court` days. The claim deadlines of the tenant are known, and neither near nor just passed.
 */
async function claims(tenant: Tenant, response: number, court: number): Promise<readonly [string, string]> {
  const ids = [randomUUID(), randomUUID()] as const;
  await service.admin(
    `insert into public.reclamations (id, client_id, site_id, claim_type, amount, status, submitted_at, court_deadline, assignee_id,
         deadline_basis, claim_deadline)
     values
         ($1, $3, $4, 'CFE', 30, 'SUBMITTED', (${day(response)} - interval '6 months' + interval '12 hours') at time zone 'Europe/Paris', null, $5,
             null, null),
         ($2, $3, $4, 'TF', 20.5, 'REJECTED', null, ${day(court)}, null, 'EVENT', ${day(-400)})`,
    [...ids, tenant.clients, tenant.sites, tenant.users],
  );
  await service.admin(
    `update public.reclamations set deadline_basis = 'EVENT', claim_deadline = ${day(3650)} where id = $1`,
    [tenant.reclamations],
  );
  return ids;
}

/** Sets the due dates of an issued invoice and of a bill to the given number of days from today. */
async function due({ factures, partner_invoices: bill, reclamations }: Tenant, days: number): Promise<void> {
  await service.admin(
    `update public.factures set issue_date = ${day(-40)}, due_date = ${day(days)}, reclamation_id = $2 where id = $1`,
    [factures, reclamations],
  );
  await service.admin(`update public.factures set status = 'ISSUED' where id = $1`, [factures]);
  await service.admin(`update public.partner_invoices set due_date = ${day(days)} where id = $1`, [bill]);
}

const service = await forSuite(startService());
const [own, foreign] = [await service.furnishedTenant('Own'), await service.furnishedTenant('Foreign')];
// Near the end of a month the number of days until a deadline can differ by one. The tests therefore compare only the
// kinds of deadlines and their order.
const [answered, rejected] = await claims(own, 10, -3);
await claims(foreign, 10, -3);
for (const tenant of [own, foreign]) await due(tenant, 20);

type Json = Readonly<Record<string, unknown>>;

const ask = async (query: string, role: Role = 'ACCOUNT_MANAGER', clients = [own.clients]) =>
  service.ask(`GET /api/deadlines${query}`, { token: await service.token(role, clients) });
const rowsOf = async (query: string, role?: Role): Promise<readonly Json[]> =>
  (await ask(query, role)).json as readonly Json[];
const kinds = (rows: readonly Json[]): readonly unknown[] => rows.map(({ kind }) => kind);

describe('the list of deadlines', () => {
  test.each([
    ['ADMIN', ['response', 'invoice', 'partner_invoice']],
    ['ACCOUNT_MANAGER', ['response', 'invoice', 'partner_invoice']],
    ['TAX_SPECIALIST', ['response', 'invoice']],
    ['CLIENT', ['response', 'invoice']],
  ] as const)('the role %s lists the deadlines of the kinds %j, the nearest first', async (role, expected) => {
    const rows = await rowsOf('', role);
    expect(kinds(rows)).toEqual(expected);
    expect(rows[1]).toEqual({
      ...{ kind: 'invoice', id: own.factures, days_left: 20, due_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      ...{ missing: [], client_id: own.clients, reclamation_id: own.reclamations, assignee_id: null },
      ...{ status: 'ISSUED', amount: 12 },
    });
    expect(rows[0]).toMatchObject({
      ...{ id: answered, reclamation_id: answered, status: 'SUBMITTED', amount: 30, assignee_id: own.users },
      // The day is an estimate until the receipt is known.
      missing: ['received_on'],
    });
  });

  test('GET /api/deadlines lists deadlines within the requested number of days, and passed deadlines if the request asks for them', async () => {
    const [left] = (await rowsOf('')).map(({ days_left: days }) => Number(days));
    expect(kinds(await rowsOf(`?within=${String(left)}`))).toEqual(['response']);
    expect(kinds(await rowsOf(`?within=${String(Number(left) - 1)}`))).toEqual([]);
    expect(kinds(await rowsOf('?within=20'))).toHaveLength(3);
    expect(kinds(await rowsOf('?within=19'))).toEqual(['response']);
    expect(await rowsOf('?within=0&passed=3')).toEqual([
      expect.objectContaining({ kind: 'court', id: rejected, days_left: -3, amount: 20.5 }),
    ]);
    expect(await rowsOf('?within=0&passed=2')).toEqual([]);
    expect(kinds(await rowsOf('?within=3660&passed=3660'))).toEqual([
      ...['court', 'response', 'invoice', 'partner_invoice', 'relief', 'claim'],
    ]);
  });

  test('GET /api/deadlines filters deadlines by claim, and finds none of a foreign claim', async () => {
    expect(kinds(await rowsOf(`?reclamation_id=${rejected}&passed=9`))).toEqual(['court']);
    expect(kinds(await rowsOf(`?reclamation_id=${own.reclamations}`))).toEqual(['invoice']);
    expect(kinds(await rowsOf(`?reclamation_id=${answered},${rejected}&passed=9`))).toEqual(['court', 'response']);
    expect(await rowsOf(`?reclamation_id=${foreign.reclamations}`)).toEqual([]);
  });

  test('GET /api/deadlines filters deadlines by kind, client and assignee', async () => {
    expect(kinds(await rowsOf('?kind=court,invoice&passed=9'))).toEqual(['court', 'invoice']);
    expect(kinds(await rowsOf('?kind=partner_invoice'))).toEqual(['partner_invoice']);
    expect(await rowsOf('?kind=partner_invoice', 'TAX_SPECIALIST')).toEqual([]);
    expect(kinds(await rowsOf(`?assignee_id=${own.users}`))).toEqual(['response']);
    const both = [own.clients, foreign.clients];
    const narrowed = (await ask(`?client_id=${own.clients}`, 'ADMIN', both)).json as readonly Json[];
    expect(narrowed.map(({ client_id: id }) => id)).toEqual(Array(3).fill(own.clients));
    const several = (await ask(`?client_id=${both.join()}`, 'ADMIN', [])).json as readonly Json[];
    expect(several).toEqual((await ask('', 'ADMIN', both)).json);
    expect(several).toHaveLength(6);
    expect(kinds(await rowsOf(`?assignee_id=${foreign.users},${own.users}`))).toEqual(['response']);
    // Invoices and bills have no assignee at all, so the filter `assignee_id=none` does not find them.
    expect(kinds(await rowsOf('?assignee_id=none&passed=9'))).toEqual(['court']);
    expect(await rowsOf('?assignee_id=none&kind=invoice,partner_invoice')).toEqual([]);
    expect((await ask('', 'ADMIN', [])).json).toHaveLength(6);
  });

  test('GET /api/deadlines returns each deadline once over all pages, with expanded names', async () => {
    const token = await service.token('ADMIN', [own.clients, foreign.clients]);
    const line = '/api/deadlines?limit=1&passed=9&expand=client,reclamation,assignee';
    const found = (await readPages(service, line, token)).flatMap(({ json }) => json as Json[]);
    expect(kinds(found)).toEqual([
      ...words('court court response response invoice invoice partner_invoice partner_invoice'),
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(8);
    expect(found.find(({ id }) => id === answered)).toMatchObject({
      client: { id: own.clients, company_name: 'Own' },
      reclamation: { id: answered, claim_type: 'CFE' },
      assignee: { id: own.users, name: 'Ada' },
    });
    expect(found.at(-1)).toMatchObject({ reclamation: null, assignee: null });
  });

  test('GET /api/deadlines refuses a request that names another tenant’s client, and an invalid number of days', async () => {
    const mixed = await ask(`?client_id=${own.clients},${foreign.clients}`);
    await expectRefusal(service, mixed, 'ERROR_FORBIDDEN');
    for (const query of ['within=-1', 'within=3661', 'passed=x', 'kind=bill', 'sort=due_on', 'after=AAAA']) {
      expectInvalid(await ask(`?${query}`), [query.split('=')[0]]);
    }
  });
});

test('GET /api/deadlines and the view reporting.deadlines list a record only while the record has a status with a deadline', async () => {
  const tenant = await service.furnishedTenant('Other');
  const set = async (table: string, id: string, change: string) =>
    service.admin(`set session_replication_role = replica; update public.${table} set ${change} where id = '${id}'`);
  const token = await service.token('ACCOUNT_MANAGER', [tenant.clients]);
  const running = async (): Promise<readonly Json[]> =>
    (await service.ask('GET /api/deadlines?within=3660&passed=3660', { token })).json as readonly Json[];
  // The triggers do not run for the replica.
  const dates = `claim_deadline = ${day(0)}, submitted_at = now(), received_on = ${day(0)}, response_due_at = now() + interval '1 day',
    regularisation_due_on = ${day(0)}, court_deadline = ${day(0)}, appeal_deadline = ${day(0)}`;
  const found: Record<string, unknown> = {};
  for (const status of reclamationStatus.options) {
    await set('reclamations', tenant.reclamations, `${dates}, status = '${status}'`);
    const rows = await running();
    const shown =
      await service.sql`select kind, reclamation_id as id, due_on::text, days_left, client_id, status, amount::float8 as amount
     from reporting.deadlines as d where client_id = ${tenant.clients} and kind <> 'task' order by d.due_on, kind`;
    expect([status, rows]).toEqual([status, shown.map((row) => expect.objectContaining(row))]);
    if (rows.length > 0) found[status] = kinds(rows).join();
  }
  expect(found).toEqual({
    ...{ DRAFT: 'claim', READY_FOR_REVIEW: 'claim', APPROVED: 'claim' },
    ...{ SUBMITTED: 'response', ACKNOWLEDGED: 'response', REGULARISATION_REQUESTED: 'regularisation,response' },
    ...{ REJECTED: 'court,relief', PARTIALLY_ACCEPTED: 'court' },
  });
  const description = JSON.stringify(document.paths['/api/deadlines']);
  for (const [status, listed] of Object.entries(found))
    for (const kind of String(listed).split(','))
      expect(description).toMatch(new RegExp(`${kind}: [^.]*\\b${status}\\b`));
  for (const status of reclamationStatus.options) expect(description).toContain(status);
  const paid: Record<string, boolean> = {};
  for (const [table, id, statuses, also] of [
    [
      ...(['factures', tenant.factures, ['DRAFT', 'ISSUED', 'PAID', 'CANCELLED']] as const),
      `number = case when n.status <> 'DRAFT' then 'N-1' end, issue_date = ${day(0)}, paid_at = case when n.status = 'PAID' then now() end,`,
    ],
    ['partner_invoices', tenant.partner_invoices, ['RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED'], ''],
  ] as const)
    for (const status of statuses) {
      await service.admin(
        `set session_replication_role = replica;
         update public.${table} as r set ${also} due_date = ${day(1)}, status = n.status
         from (values ('${status}')) as n (status) where r.id = '${id}'`,
      );
      paid[`${table} ${status}`] = (await running()).some((row) => row['id'] === id);
    }
  expect(Object.keys(paid).filter((name) => paid[name])).toEqual([
    ...['factures ISSUED', 'partner_invoices RECEIVED', 'partner_invoices VALIDATED'],
  ]);
});

test('GET /api/deadlines lists the silence of the tax office from the day after the answer was due, however long ago that was', async () => {
  const late = await service.furnishedTenant('Late');
  const [response] = await claims(late, 0, 0);
  const listed = async (days: number): Promise<unknown> => {
    const due = `(${day(days)} + time '23:59:59') at time zone 'Europe/Paris'`;
    await service.admin(
      `set session_replication_role = replica; update public.reclamations set response_due_at = ${due} where id = '${response}'`,
    );
    const answer = await ask('?kind=response,silence&within=3660', 'ACCOUNT_MANAGER', [late.clients]);
    return (answer.json as readonly Json[]).map(({ kind, days_left: left, id }) => [kind, left, id]);
  };
  expect(await listed(1)).toEqual([['response', 1, response]]);
  expect(await listed(0)).toEqual([['response', 0, response]]);
  expect(await listed(-1)).toEqual([['silence', -1, response]]);
  expect(await listed(-4000)).toEqual([['silence', -4000, response]]);
});

test('GET /api/deadlines lists first the claims of which a last day is not known, with the fields to enter, and each once over all pages', async () => {
  const tenant = await service.furnishedTenant('Undated');
  const token = await service.token('TAX_SPECIALIST', [tenant.clients]);
  await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status, instance, deadline_basis, collection_date, submitted_at)
     values
         ($1, $2, 'TF', 1, 'DRAFT', null, 'EVENT', null, null),
         ($1, $2, 'TF', 2, 'SUBMITTED', null, null, '2025-08-31', null),
         ($1, $2, 'TF', 3, 'REGULARISATION_REQUESTED', null, null, '2025-08-31', now()),
         ($1, $2, 'TF', 4, 'REJECTED', null, null, null, null),
         ($1, $2, 'CFE', 5, 'PARTIALLY_ACCEPTED', 'TA', null, null, null),
         ($1, $2, 'CFE', 6, 'PARTIALLY_ACCEPTED', 'CE', null, null, null)`,
    [tenant.clients, tenant.sites],
  );
  const found = (await readPages(service, '/api/deadlines?limit=1&within=0', token)).flatMap(
    ({ json }) => json as Json[],
  );
  const undated = found.filter(({ due_on: due }) => due === null);
  expect(undated.map(({ kind, amount, missing }) => [kind, amount, missing])).toEqual(
    expect.arrayContaining([
      ['claim', 1, ['claim_deadline']],
      ['response', 2, ['received_on']],
      ['regularisation', 3, ['regularisation_asked_on']],
      ['court', 4, ['decision_received_on']],
      ['relief', 4, ['collection_date']],
      ['appeal', 5, ['judgment_notified_on']],
    ]),
  );
  // The sixth row is the tenant’s own claim, a DRAFT without collection_date. No court follows the CE.
  expect(undated).toHaveLength(7);
  expect(undated.every(({ days_left: days }) => days === null)).toBe(true);
  expect(found.slice(0, undated.length)).toEqual(undated);
  expect((await service.ask('GET /api/deadlines?within=0', { token })).json).toEqual(found);
});
