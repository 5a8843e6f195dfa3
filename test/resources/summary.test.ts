import { describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/* Claims counted, and what they are about. */

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
// Behind DRAFT in the life of a claim, and before it in the alphabet.
for (const status of ['READY_FOR_REVIEW', 'APPROVED'])
  await service.sql`update public.reclamations set status = ${status}
    where client_id = ${own.clients} and tax_year = 2025`;

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
    '?by=type',
    () => [
      { claim_type: 'CFE', ...sums(2, 300.3, 50.05, 0) },
      { claim_type: 'TF', ...sums(3, 100002400.99, 0, 0.01) },
    ],
  ],
  [
    '?by=year',
    () => [
      { tax_year: 2024, ...sums(1, 100.1, 50.05, 0) },
      { tax_year: 2025, ...sums(2, 100000200.19, 0, 0.01) },
      { tax_year: null, ...sums(2, 2401, 0, 0) },
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
];

describe.each(EXPECTED)('the claims of the caller’s clients are counted %s', (query, rows) => {
  test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)('for %s', async (role) => {
    const answer = await ask(query, role);
    expect([answer.status, answer.json]).toEqual([200, rows()]);
    const known = await service.ask(`GET /api/reclamations/summary${query}`, {
      token: await service.token(role, [own.clients, second.clients]),
      headers: { 'if-none-match': answer.headers.etag ?? '' },
    });
    expect(known.status).toBe(304);
  });

  test('row by row along the pages, each once', async () => {
    const found: unknown[] = [];
    let next: string | undefined = `/api/reclamations/summary${query}${query === '' ? '?' : '&'}limit=1`;
    const token = await service.token('ADMIN', [own.clients, second.clients]);
    while (next !== undefined) {
      const { status, json, headers } = await service.ask(`GET ${next}`, { token });
      expect([status, (json as unknown[]).length]).toEqual([200, 1]);
      found.push(...(json as unknown[]));
      next = /<([^>]+)>/.exec(String(headers['link'] ?? ''))?.[1];
    }
    expect(found).toEqual(rows());
  });
});

test('an administrator without a list counts the claims of everybody', async () => {
  const { json } = await ask('?by=client', 'ADMIN', []);
  expect((json as Json[]).map((row) => row['client_id'])).toEqual(
    [own, second, foreign].map(({ clients }) => clients).toSorted(),
  );
});

test('the filters are those of the list, and count what it gives', async () => {
  for (const filter of [
    `client_id=${own.clients}`,
    `site_id=${second.sites}`,
    'status=DRAFT',
    'claim_type=CFE',
    'q=nothing',
    'created_from=2020-01-01T00:00:00Z',
    'updated_to=2020-01-01T00:00:00Z',
    `assignee_id=${own.clients}`,
  ]) {
    const token = await service.token('ADMIN', [own.clients, second.clients]);
    const listed = (await service.ask(`GET /api/reclamations?${filter}`, { token })).json as Json[];
    const { json } = await ask(`?by=year&${filter}`);
    const counted = (json as Json[]).reduce((sum, { count }) => sum + Number(count), 0);
    expect([filter, counted]).toEqual([filter, listed.length]);
  }
});

test('a foreign client or site among the filters is refused, and other words are not known', async () => {
  await expectRefusal(service, await ask(`?client_id=${foreign.clients}`), 'ERROR_FORBIDDEN');
  await expectRefusal(service, await ask(`?site_id=${foreign.sites}`), 'ERROR_FORBIDDEN');
  for (const query of words(`
    ?by=amount ?by=status,year ?sort=status ?after=AAAA ?limit=0 ?count=exact
  `))
    expectError(await ask(query), 'ERROR_VALIDATION');
  expect(details(await ask('?sort=status'))).toEqual({ sort: 'is not known here' });
});
