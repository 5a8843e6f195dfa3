import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { parisDay } from '../support/paris.ts';
import { details, expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { readPages } from './paging.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/* This suite tests the summaries of claims, invoices and bills, which have counts and sums. */

const service = await forSuite(startService());
const [own, second, foreign] = [
  await service.tenant('Boulangerie Martin'),
  await service.tenant('Garage Dupont'),
  await service.tenant('Foreign'),
];
const claims = [
  [own, 'CFE', 100.1, 2024, 50.05, null],
  [own, 'CFE', 200.2, 2025, null, null],
  [second, 'TF', 99999999.99, 2025, 0, 0.01],
  [foreign, 'TF', 7, 2025, 7, 7],
] as const;
for (const [{ clients, sites }, ...values] of claims)
  await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, tax_year, granted_amount, refund_amount)
       values ($1, $2, $3, $4, $5, $6, $7)`,
    [clients, sites, ...values],
  );
// The status APPROVED comes after DRAFT in the life of a claim, but before DRAFT in the alphabet.
for (const status of ['READY_FOR_REVIEW', 'APPROVED'])
  await service.sql`update public.reclamations set status = ${status}
    where client_id = ${own.clients} and tax_year = 2025`;

// The submission time 2025-01-31T23:30-01:00 is half past midnight on 1 February in UTC, so the summary counts the
// claim in February.
await service.sql`update public.reclamations
  set submitted_at = '2025-01-31T23:30:00Z', decision_date = '2025-06-30'
  where client_id = ${own.clients} and tax_year = 2024`;

type Json = Readonly<Record<string, unknown>>;

const sums = (count: number, amount: number, granted: number, refund: number): Json => ({
  ...{ count, amount, granted_amount: granted, refund_amount: refund },
});
const ask = async (query: string, role: Role = 'ACCOUNT_MANAGER', clients = [own.clients, second.clients]) =>
  service.ask(`GET /api/reclamations/summary${query}`, { token: await service.token(role, clients) });

const EXPECTED: readonly (readonly [query: string, rows: () => readonly Json[]])[] = [
  [
    '',
    () => [
      { status: 'DRAFT', ...sums(4, 100002501.09, 50.05, 0.01) },
      { status: 'APPROVED', ...sums(1, 200.2, 0, 0) },
    ],
  ],
  [
    '?by=client',
    () =>
      [
        {
          client_id: own.clients,
          client: { id: own.clients, company_name: 'Boulangerie Martin' },
          ...sums(3, 1500.8, 50.05, 0),
        },
        {
          client_id: second.clients,
          client: { id: second.clients, company_name: 'Garage Dupont' },
          ...sums(2, 100001200.49, 0, 0.01),
        },
      ].toSorted((a, b) => (a.client_id < b.client_id ? -1 : 1)),
  ],
  [
    '?by=type,year',
    () => [
      { claim_type: 'CFE', tax_year: 2024, ...sums(1, 100.1, 50.05, 0) },
      { claim_type: 'CFE', tax_year: 2025, ...sums(1, 200.2, 0, 0) },
      { claim_type: 'TF', tax_year: 2025, ...sums(1, 99999999.99, 0, 0.01) },
      { claim_type: 'TF', tax_year: null, ...sums(2, 2401, 0, 0) },
    ],
  ],
  // The query `?by=year,type` has the same groups as `?by=type,year`, but in another order.
  [
    '?by=year,type',
    () => [
      { tax_year: 2024, claim_type: 'CFE', ...sums(1, 100.1, 50.05, 0) },
      { tax_year: 2025, claim_type: 'CFE', ...sums(1, 200.2, 0, 0) },
      { tax_year: 2025, claim_type: 'TF', ...sums(1, 99999999.99, 0, 0.01) },
      { tax_year: null, claim_type: 'TF', ...sums(2, 2401, 0, 0) },
    ],
  ],
  [
    '?by=decision_quarter,status',
    () => [
      { decision_quarter: '2025-04-01', status: 'DRAFT', ...sums(1, 100.1, 50.05, 0) },
      { decision_quarter: null, status: 'DRAFT', ...sums(3, 100002400.99, 0, 0.01) },
      { decision_quarter: null, status: 'APPROVED', ...sums(1, 200.2, 0, 0) },
    ],
  ],
  [
    '?by=submitted_month',
    () => [
      { submitted_month: '2025-02-01', ...sums(1, 100.1, 50.05, 0) },
      { submitted_month: null, ...sums(4, 100002601.19, 0, 0.01) },
    ],
  ],
  [
    '?by=site&tax_year=2024',
    () => [{ site_id: own.sites, site: { id: own.sites, site_name: 'Siège' }, ...sums(1, 100.1, 50.05, 0) }],
  ],
  [
    '?by=assignee,type&tax_year_from=2024&tax_year_to=2024',
    () => [{ assignee_id: null, assignee: null, claim_type: 'CFE', ...sums(1, 100.1, 50.05, 0) }],
  ],
];

describe.each(EXPECTED)('the summary of claims %s', (query, rows) => {
  test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
    `a user with the role %s gets counts of the claims of the user’s clients from the summary with ${query || 'no query'}`,
    async (role) => {
      const answer = await ask(query, role);
      expect([answer.status, answer.json]).toEqual([200, rows()]);
      const known = await service.ask(`GET /api/reclamations/summary${query}`, {
        token: await service.token(role, [own.clients, second.clients]),
        headers: { 'if-none-match': answer.headers.etag ?? '' },
      });
      expect(known.status).toBe(304);
    },
  );

  test(`the summary of claims with ${query || 'no query'} has each row exactly once over all its pages`, async () => {
    const line = `/api/reclamations/summary${query}${query === '' ? '?' : '&'}limit=1`;
    const pages = await readPages(service, line, await service.token('ADMIN', [own.clients, second.clients]));
    expect(pages.map(({ json }) => json)).toEqual(rows().map((row) => [row]));
  });
});

test('a summary of claims by status and type refuses a page cursor of the summary by type and status', async () => {
  const { headers } = await ask('?by=type,status&limit=1');
  const [, after = ''] = /[?&](after=[^&>]+)/.exec(String(headers['link'])) ?? [];
  expect((await ask(`?by=type,status&limit=1&${after}`)).status).toBe(200);
  expectInvalid(await ask(`?by=status,type&limit=1&${after}`), ['after']);
});

test('the summary of claims counts the claims of every client for an ADMIN of all clients', async () => {
  const { json } = await ask('?by=client', 'ADMIN', []);
  expect((json as Json[]).map((row) => row['client_id'])).toEqual(
    [own, second, foreign].map(({ clients }) => clients).toSorted(),
  );
});

test('the summary of claims accepts the filters of the list of claims and counts the same claims', async () => {
  for (const filter of [
    `client_id=${own.clients}`,
    `site_id=${second.sites}`,
    'status=DRAFT',
    'claim_type=CFE',
    'q=nothing',
    'created_from=2020-01-01T00:00:00Z',
    'updated_to=2020-01-01T00:00:00Z',
    `assignee_id=${own.clients}`,
    'tax_year=none',
    'not_status=DRAFT,CLOSED',
    'submitted_at=none&granted_amount_from=1',
  ]) {
    const token = await service.token('ADMIN', [own.clients, second.clients]);
    const listed = (await service.ask(`GET /api/reclamations?${filter}`, { token })).json as Json[];
    const { json } = await ask(`?by=year&${filter}`);
    const counted = (json as Json[]).reduce((sum, { count }) => sum + Number(count), 0);
    expect([filter, counted]).toEqual([filter, listed.length]);
  }
});

test('GET /api/reclamations/summary refuses another tenant’s site, and query parameters that only the list of claims has', async () => {
  await expectRefusal(service, await ask(`?site_id=${foreign.sites}`), 'ERROR_FORBIDDEN');
  for (const query of words(`
    ?by=amount ?by=status,year,type ?by=created_month ?sort=status ?after=AAAA ?limit=0 ?count=exact
  `))
    expectError(await ask(query), 'ERROR_VALIDATION');
  expect(details(await ask('?sort=status'))).toEqual({ sort: 'is not known here' });
});

describe('the summaries of invoices and bills', () => {
  const [billed, others] = [own, foreign];
  const row = (status: object, [count, without, all, due, late, paid]: readonly number[]): Json => ({
    ...{ ...status, count, amount_excl_tax: without, amount_incl_tax: all, due, late, paid },
  });

  beforeAll(async () => {
    const partner = randomUUID();
    await service.admin(`
      set session_replication_role = replica;
      insert into public.partners (id, name) values ('${partner}', 'Cabinet Dubois');
      insert into public.factures (client_id, amount_excl_tax, status, number, issue_date, due_date, paid_at)
      select client, 100, status, status || due || left(client::text, 8), date '2025-01-15', due::date, paid::timestamptz
      from (values ('DRAFT', null, null), ('ISSUED', '${parisDay(-1)}', null), ('ISSUED', '${parisDay(0)}', null), ('PAID', '${parisDay(-2)}', '2025-04-01T00:00:00Z'))
          as i (status, due, paid)
      cross join unnest(array['${billed.clients}', '${others.clients}']::uuid[]) as c (client);
      insert into public.partner_invoices (partner_id, client_id, number, status, amount_excl_tax, vat_amount, amount_incl_tax, due_date)
      select '${partner}', client, status, status, 10, 2, 12, due
      from (values ('RECEIVED', date '${parisDay(-1)}'), ('DISPUTED', '${parisDay(-1)}'), ('VALIDATED', '${parisDay(0)}'), ('PAID', '${parisDay(-1)}'))
          as b (status, due)
      cross join unnest(array['${billed.clients}', '${others.clients}']::uuid[]) as c (client);`);
  });

  test('the summary of invoices counts issued invoices as due, and as late once their due date has passed', async () => {
    const token = await service.token('CLIENT', [billed.clients]);
    const { json } = await service.ask('GET /api/invoices/summary', { token });
    expect(json).toEqual([
      row({ status: 'DRAFT' }, [1, 100, 120, 0, 0, 0]),
      row({ status: 'ISSUED' }, [2, 200, 240, 240, 120, 0]),
      row({ status: 'PAID' }, [1, 100, 120, 0, 0, 120]),
    ]);
    const months = await service.ask('GET /api/invoices/summary?by=paid_month,status&not_status=DRAFT', { token });
    expect(months.json).toEqual([
      row({ paid_month: '2025-04-01', status: 'PAID' }, [1, 100, 120, 0, 0, 120]),
      row({ paid_month: null, status: 'ISSUED' }, [2, 200, 240, 240, 120, 0]),
    ]);
  });

  test('the summary of bills counts the bills of each partner, and does not count a disputed bill as due', async () => {
    const token = await service.token('ACCOUNT_MANAGER', [billed.clients]);
    const { json } = await service.ask('GET /api/partner-invoices/summary?by=status', { token });
    expect(json).toEqual([
      row({ status: 'RECEIVED' }, [1, 10, 12, 12, 12, 0]),
      row({ status: 'DISPUTED' }, [1, 10, 12, 0, 0, 0]),
      row({ status: 'VALIDATED' }, [1, 10, 12, 12, 0, 0]),
      row({ status: 'PAID' }, [1, 10, 12, 0, 0, 12]),
    ]);
    const partners = await service.ask('GET /api/partner-invoices/summary?by=partner', { token });
    expect(partners.json).toEqual([expect.objectContaining({ count: 4, due: 24, late: 12, paid: 12 })]);
  });
});
