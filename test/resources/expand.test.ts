import { expect, test } from '@jest/globals';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';

/* This suite tests the query parameter `expand`, which adds the names of the records that a record refers to. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Hôtels "Belle Rive"');
const foreign = await service.furnishedTenant('Garage Dupont');
for (const { reclamations, factures, partner_invoices: bills } of [own, foreign]) {
  await service.sql`update public.factures set reclamation_id = ${reclamations} where id = ${factures}`;
  await service.admin('update public.partner_invoices set invoice_id = $2 where id = $1', [bills, factures]);
}

type Json = Readonly<Record<string, unknown>>;

const client: Json = { id: own.clients, company_name: 'Hôtels "Belle Rive"' };
const site: Json = { id: own.sites, site_name: 'Siège' };
const claim: Json = { id: own.reclamations, claim_type: 'TF', tax_year: null, notice_reference: null };

interface Case {
  readonly path: string;
  readonly expand: string;
  readonly kind: keyof Tenant;
  readonly shown: Json;
}

const CASES: readonly Case[] = [
  { path: '/api/sites', expand: 'client', kind: 'sites', shown: { client } },
  { path: '/api/cadastres', expand: 'site', kind: 'cadastres', shown: { site } },
  { path: '/api/reclamations', expand: 'site,client', kind: 'reclamations', shown: { client, site } },
  { path: '/api/invoices', expand: 'client,reclamation', kind: 'factures', shown: { client, reclamation: claim } },
  {
    ...{ path: '/api/partner-invoices', expand: 'client,partner,invoice', kind: 'partner_invoices' },
    shown: { client, partner: { id: own.biller, name: 'Cabinet Blanc' }, invoice: { id: own.factures, number: null } },
  },
  { path: '/api/documents', expand: 'reclamation', kind: 'documents', shown: { reclamation: claim } },
];

test.each(CASES)(
  'a read of $path with expand=$expand shows the names of related records in the record and in the list, and no names without expand',
  async ({ path, expand, kind, shown }) => {
    const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const target = `${path}/${own[kind]}`;
    const plain = await service.ask(`GET ${target}`, { token });
    const expected = { ...(plain.json as Json), ...shown };
    for (const key of Object.keys(shown)) expect(plain.json).not.toHaveProperty([key]);
    const expanded = await service.ask(`GET ${target}?expand=${expand}`, { token });
    expect([expanded.status, expanded.json]).toEqual([200, expected]);
    const below = path === '/api/documents' ? `/api/reclamations/${own.reclamations}/documents` : path;
    for (const query of ['', '&count=exact', '&offset=0&sort=-created_at&limit=5'].slice(
      0,
      path === '/api/documents' ? 2 : 3,
    )) {
      const { status, json } = await service.ask(`GET ${below}?expand=${expand}${query}`, { token });
      expect([query, status, json]).toEqual([query, 200, [expected]]);
    }
  },
);

const CALLERS = [
  { caller: 'an ADMIN of all clients', role: 'ADMIN', clients: [] },
  { caller: 'an ADMIN of two clients', role: 'ADMIN', clients: [own.clients, foreign.clients] },
  { caller: 'a TAX_SPECIALIST', role: 'TAX_SPECIALIST', clients: [own.clients, foreign.clients] },
  { caller: 'a CLIENT', role: 'CLIENT', clients: [own.clients] },
] as const;

test.each(CALLERS)(
  '$caller who lists claims with expand=client,site gets the names of clients and sites in each order and on each page',
  async ({ role, clients }) => {
    const token = await service.token(role, clients);
    for (const query of ['', '&sort=amount', '&sort=-amount', '&offset=1', '&count=exact', '&count=exact&offset=9']) {
      const ask = async (more: string) => service.ask(`GET /api/reclamations?limit=50${query}${more}`, { token });
      const [plain, expanded] = [await ask(''), await ask('&expand=client,site')];
      const names = new Map([
        [own.clients, 'Hôtels "Belle Rive"'],
        [foreign.clients, 'Garage Dupont'],
      ]);
      expect(expanded.json).toEqual(
        (plain.json as Json[]).map((record) => ({
          ...record,
          client: { id: record['client_id'], company_name: names.get(String(record['client_id'])) },
          site: { id: record['site_id'], site_name: 'Siège' },
        })),
      );
      expect(expanded.headers['x-total-count']).toBe(plain.headers['x-total-count']);
    }
  },
);

test('the next page of a list with expand also has the expanded names', async () => {
  const token = await service.token('ADMIN', [own.clients, foreign.clients]);
  const first = await service.ask('GET /api/reclamations?limit=1&expand=client', { token });
  const next = /<([^>]+)>/.exec(String(first.headers['link']))?.[1] ?? '';
  expect(next).toContain('expand=client');
  const second = await service.ask(`GET ${next}`, { token });
  const ids = [first, second].flatMap(({ json }) => (json as Json[]).map(({ client_id: id }) => id));
  expect(ids.toSorted()).toEqual([own.clients, foreign.clients].toSorted());
});

test('the history of a claim with expand=user names the user of a status change only to callers who are allowed to read that user', async () => {
  const sub = own.users;
  await service.sql`insert into public.reclamation_history (reclamation_id, client_id, from_status, to_status, changed_by, actor)
   values (${own.reclamations}, ${own.clients}, 'DRAFT', 'READY_FOR_REVIEW', ${sub}, 'a')`;
  const moves = async (role: 'ACCOUNT_MANAGER' | 'CLIENT'): Promise<unknown> => {
    const token = await service.token(role, [own.clients]);
    const { json } = await service.ask(`GET /api/reclamations/${own.reclamations}/history?expand=user&limit=1`, {
      token,
    });
    return (json as Json[])[0];
  };
  expect(await moves('ACCOUNT_MANAGER')).toMatchObject({
    changed_by: sub,
    user: { id: sub, email: `${sub}@b.example`, name: 'Ada' },
  });
  expect(await moves('CLIENT')).toMatchObject({ changed_by: sub, user: null });
  const token = await service.token('ADMIN');
  const { json } = await service.ask(
    `GET /api/audit-logs?expand=client,user&client_context=${own.clients}&action=GET /x`.replace('GET /x', 'GET%20/x'),
    { token },
  );
  expect(json).toEqual([expect.objectContaining({ user: null, client })]);
});

test('renaming a client changes the ETag of its site read with expand=client, but not that of the site read alone', async () => {
  const token = await service.token('ADMIN', [own.clients]);
  const target = `/api/sites/${own.sites}`;
  const read = async (query: string, tag?: string) =>
    service.ask(`GET ${target}${query}`, { token, headers: tag === undefined ? {} : { 'if-none-match': tag } });
  const [plain, expanded] = [(await read('')).headers.etag ?? '', (await read('?expand=client')).headers.etag ?? ''];
  expect(expanded).not.toBe(plain);
  expect((await read('?expand=client', expanded)).status).toBe(304);
  expect((await read('?expand=client', plain)).status).toBe(200);
  await service.ask(`PUT /api/clients/${own.clients}`, { token, body: { company_name: 'Belle Rive SA' } });
  expect((await read('', plain)).status).toBe(304);
  const renamed = await read('?expand=client', expanded);
  expect([renamed.status, renamed.json]).toEqual([
    200,
    expect.objectContaining({ client: { id: own.clients, company_name: 'Belle Rive SA' } }),
  ]);

  // If-Match compares only the version of the record, so a change also accepts the ETag of a read with expand.
  const change = async (tag: string) =>
    service.ask(`PUT ${target}`, {
      token,
      headers: { 'if-match': tag },
      body: { ...(renamed.json as Json), address: tag },
    });
  const changed = await change(expanded);
  expect([changed.status, changed.json]).toEqual([200, expect.not.objectContaining({ client: expect.anything() })]);
  expectError(await change(expanded), 'ERROR_PRECONDITION_FAILED');
  await service.ask(`PUT /api/clients/${own.clients}`, { token, body: { company_name: 'Hôtels "Belle Rive"' } });
});

test.each(['', 'nobody', 'client,', ',client', 'client,nobody', 'client;site', 'Client', '__proto__'])(
  'a list requested with expand=%s gets 400 with the allowed names',
  async (words) => {
    const token = await service.token('ADMIN');
    for (const target of ['/api/reclamations', `/api/reclamations/${own.reclamations}`]) {
      const answer = await service.ask(`GET ${target}?expand=${encodeURIComponent(words)}`, { token });
      expectError(answer, 'ERROR_VALIDATION', { expand: expect.stringMatching(/^must be one of client, site/) });
    }
  },
);

test('the list of clients refuses the parameter expand, and other lists ignore a repeated name in it', async () => {
  const token = await service.token('ADMIN', [own.clients]);
  expect(details(await service.ask('GET /api/clients?expand=client', { token }))).toEqual({
    expand: 'is not known here',
  });
  const twice = await service.ask('GET /api/sites?expand=client,client', { token });
  expect(twice.json).toEqual([expect.objectContaining({ client })]);
});

test('the database function app.narrowed limits the read of one record to that record’s client, but not a read with expand', async () => {
  const token = await service.token('TAX_SPECIALIST', [own.clients, foreign.clients]);
  const statusOf = async (path: string): Promise<number> => (await service.ask(`GET ${path}`, { token })).status;
  const [kept] = await service.admin(`select pg_get_functiondef('app.narrowed'::regproc) as definition`);
  await service.admin(`create or replace function app.narrowed(listed text, resource_type text, id uuid) returns text
    language sql stable security definer set search_path = '' return '{}'`);
  try {
    const paths = [`/api/reclamations/${own.reclamations}`, `/api/sites/${own.sites}`];
    expect(await Promise.all(paths.map(statusOf))).toEqual([404, 404]);
    expect(await Promise.all(paths.map((path) => statusOf(`${path}?expand=client`)))).toEqual([200, 200]);
  } finally {
    await service.admin(String(kept?.['definition']));
  }
});
