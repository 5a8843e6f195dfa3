import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { document, resolved } from '../support/described.ts';
import { details, expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import type { Answer } from '../support/http.ts';
import { forSuite } from '../support/suite.ts';
import { furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';

/* This suite reads every list of the OpenAPI description in every order that the list allows. */

interface Parameter {
  readonly name: string;
  readonly schema: { readonly items?: { readonly $ref?: string } };
}
type Paths = Record<string, { get?: { parameters?: readonly Parameter[] } }>;

const lists = Object.entries(document.paths as Paths).flatMap(([path, { get }]) => {
  const parameters = get?.parameters ?? [];
  const sort = parameters.find(({ name }) => name === 'sort')?.schema.items;
  if (sort === undefined) return [];
  const { enum: all } = resolved(sort) as { readonly enum: readonly string[] };
  // A former name such as client sorts as client_id does.
  const sorts = all.filter((word) => !all.includes(`${word}_id`));
  return [{ path, sorts, names: parameters.map(({ name }) => name) }];
});

/**
 * The number of clients in the tests of lists. It is so large that the service reads a list with another SQL query than
 * for few clients.
 */
const MANY = 60;
const FEW = 3;
/** The number of records that the first client has in each list of one client or one claim. */
const RICH = 12;

const service = await forSuite(startService());
const tenants = Array.from({ length: MANY }, newTenant);
await service.admin(
  tenants.map((tenant, index) => tenantSql(tenant, `Client ${index % 7}`) + furnitureSql(tenant)).join('\n'),
);
const clients = tenants.map((tenant) => tenant.clients);
const [rich = newTenant()] = tenants;
await enrich(rich);
await scatter();
await service.sql`insert into public.audit_logs (action, resource_type, client_context, success, actor, created_at)
   select 'GET /x', 'walk', id, false, 'fixture', timestamptz '2026-01-01' + n % 9 * interval '1 microsecond'
   from unnest(${clients}::uuid[]) with ordinality as t (id, n)`;

/** Inserts more rows for one client, for the tests of lists that belong to one client or one claim. */
async function enrich({ clients: client, sites, reclamations, users }: ReturnType<typeof newTenant>): Promise<void> {
  await service.sql`insert into public.reclamations (client_id, site_id, claim_type, amount)
   select ${client}, ${sites}, case n % 2 when 0 then 'TF' else 'CFE' end, n % 3 from generate_series(1, ${RICH}) as n`;
  await service.sql`insert into public.reclamation_history (reclamation_id, client_id, from_status, to_status, actor)
   select ${reclamations}, ${client}, 'DRAFT', 'DRAFT', 'fixture' from generate_series(1, ${RICH})`;
  await service.sql`insert into public.documents (reclamation_id, filename, file_path)
   select ${reclamations}, 'n° ' || n % 3, gen_random_uuid() from generate_series(1, ${RICH}) as n`;
  await service.sql`insert into public.notes (client_id, reclamation_id, author_id, text, due_on, assignee_id, done_at)
   select ${client}, ${reclamations}, ${users}, 'n° ' || n, date '2190-01-01' + n % 4, case when n % 3 = 0 then ${users}::uuid end,
       case when n % 4 = 0 then timestamptz '2026-01-01' end
   from generate_series(1, ${RICH}) as n`;
}

/** Spreads the creation times of all rows over 9 microseconds, so that many rows have equal times. */
async function scatter(): Promise<void> {
  const columns = await service.admin(
    `select c.relname as name, a.attname as column from pg_attribute as a join pg_class as c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'audit_logs'
       and a.attname in ('created_at', 'uploaded_at', 'changed_at')
       and exists (select from pg_attribute as i where i.attrelid = c.oid and i.attname = 'id')`,
  );
  for (const { name, column } of columns as { name: string; column: string }[]) {
    await service.admin(
      `update public.${name} set ${column} = timestamptz '2026-01-01' + abs(hashtext(id::text)) % 9 * interval '1 microsecond'`,
    );
  }
}

/**
 * Returns the URL of a list up to its query. The URL of the audit log has a filter, because each request of the test
 * adds an audit record.
 */
function at(path: string): string {
  const filled = path.replace('{clientId}', rich.clients).replace('{id}', rich.reclamations);
  return `${filled}?${path === '/api/audit-logs' ? 'resource_type=walk&' : ''}`;
}

const CALLERS = {
  'an account manager of few clients': () => service.token('ACCOUNT_MANAGER', clients.slice(0, FEW)),
  'an account manager of many clients': () => service.token('ACCOUNT_MANAGER', clients),
  'an ADMIN': () => service.token('ADMIN'),
} as const;
type Caller = keyof typeof CALLERS;

const FEW_CLIENTS = 'an account manager of few clients';

/** True if the caller is allowed to read the list: only an ADMIN reads audit logs and identity changes. */
const isFor = (path: string, caller: Caller): boolean =>
  caller.includes('ADMIN') || !/audit-logs|identity-changes/.test(path);

const callers = (path: string): { caller: Caller }[] =>
  (Object.keys(CALLERS) as Caller[]).filter((caller) => isFor(path, caller)).map((caller) => ({ caller }));

async function page(line: string, token: string): Promise<{ ids: string[]; next: string | undefined; answer: Answer }> {
  const answer = await service.ask(`GET ${line}`, { token });
  expect([answer.status, answer.text.slice(0, 1)]).toEqual([200, '[']);
  const next = /^<(.*)>; rel="next"$/.exec(String(answer.headers['link'] ?? ''))?.[1];
  return { ids: (answer.json as { id: string }[]).map(({ id }) => id), next, answer };
}

async function whole(path: string, token: string, query = ''): Promise<string[]> {
  const { ids, next } = await page(`${at(path)}limit=1000${query}`, token);
  expect(next).toBeUndefined();
  return ids;
}

/** Reads all pages of a list, and calls `between` before the second and the third page. */
async function readEveryPage(
  line: string,
  token: string,
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const readIds: string[] = [];
  let pages = 0;
  for (let next: string | undefined = line; next !== undefined; pages += 1) {
    const { ids, next: after } = await page(next, token);
    expect(ids.filter((id) => readIds.includes(id))).toEqual([]);
    readIds.push(...ids);
    next = after;
    // If the test inserted rows after every page of the list, the test would never reach the last page.
    if (pages < 2) await between();
  }
  return readIds;
}

/**
 * Returns the value by which a list is sorted, or the name of the record if the list is sorted by a reference to a
 * record.
 */
function nameIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Object.values(value).at(-1) : value;
}

const ENDS = `(values (now()), ('2020-01-01')) as t (at)`;

/**
 * Inserts some rows that come first and some that come last in every list, while a test reads the list page by page.
 */
async function insertEverywhere(): Promise<void> {
  const site = randomUUID();
  const ids = { client: rich.clients, claim: rich.reclamations };
  await service.admin(`
    insert into public.sites (id, client_id, site_name) values ('${site}', '${ids.client}', 'Passing');
    insert into public.sites (client_id, site_name, created_at) values ('${ids.client}', 'Passing', '2020-01-01');
    insert into public.cadastres (site_id, commune_code, section, number, created_at)
    select '${site}', '75056', 'AA', lpad(extract(day from at)::text, 4, '0'), at from ${ENDS};
    insert into public.reclamations (client_id, site_id, claim_type, amount, created_at)
    select '${ids.client}', '${site}', 'TF', 0, at from ${ENDS};
    insert into public.reclamation_history (reclamation_id, client_id, from_status, to_status, actor, changed_at)
    select '${ids.claim}', '${ids.client}', 'DRAFT', 'DRAFT', 'passing', at from ${ENDS};
    insert into public.documents (reclamation_id, filename, file_path, uploaded_at)
    select '${ids.claim}', 'passing', gen_random_uuid(), at from ${ENDS};
    insert into public.notes (client_id, reclamation_id, author_id, text, due_on, created_at)
    select '${ids.client}', '${ids.claim}', gen_random_uuid(), 'passing', '2190-01-02', at from ${ENDS};
    insert into public.factures (client_id, amount_excl_tax, created_at)
    select '${ids.client}', 12345, at from ${ENDS};`);
}

/**
 * Deletes the rows that the test inserted between two pages of a list, so that each sort order is read with the same
 * rows.
 */
async function clearInserted(): Promise<void> {
  await service.admin(`
    delete from public.sites where site_name = 'Passing';
    delete from public.reclamation_history where actor = 'passing';
    delete from public.documents where filename = 'passing';
    delete from public.notes where text = 'passing';
    delete from public.factures where amount_excl_tax = 12345;`);
}

describe.each(lists)('the pages and orders of the list $path', ({ path, sorts, names }) => {
  test.each(callers(path))(
    `$caller reads every record of ${path} exactly once in every order while others insert records`,
    async ({ caller }) => {
      const token = await CALLERS[caller]();
      for (const sort of ['', ...sorts.map((one) => `&sort=${one}`)]) {
        const before = await whole(path, token, sort);
        expect(before.length).toBeGreaterThan(1);
        const limit = Math.ceil(before.length / 4);
        const readIds = await readEveryPage(`${at(path)}limit=${limit}${sort}`, token, insertEverywhere);
        expect(new Set(readIds).size).toBe(readIds.length);
        expect(readIds.filter((id) => before.includes(id))).toEqual(before);
        await clearInserted();
      }
    },
  );

  test(`the list ${path} returns records in the same order to callers with few clients, many clients or all clients`, async () => {
    for (const sort of sorts) {
      const all = await whole(path, await CALLERS['an ADMIN'](), `&sort=${sort}`);
      for (const { caller } of callers(path)) {
        const some = await whole(path, await CALLERS[caller](), `&sort=${sort}`);
        expect(some).toEqual(all.filter((id) => some.includes(id)));
      }
    }
  });

  test(`the list ${path} returns the newest records first by default, and each order can be reversed`, async () => {
    const token = await CALLERS['an ADMIN']();
    const newest = sorts.find((sort) => sort.endsWith('_at')) ?? '';
    expect(await whole(path, token)).toEqual(await whole(path, token, `&sort=-${newest.replace('-', '')}`));
    for (const sort of sorts.filter((one) => !one.startsWith('-'))) {
      const plain = await page(`${at(path)}limit=1000&sort=${sort}`, token);
      const [record] = plain.answer.json as object[];
      const isColumn = sort in (record ?? {});
      const { answer } = isColumn ? plain : await page(`${at(path)}limit=1000&sort=${sort}&expand=${sort}`, token);
      const [without = [], having = []] = [true, false].map((isNull) =>
        (answer.json as Record<string, unknown>[])
          .filter((one) => (nameIn(one[sort]) === null) === isNull)
          .map(({ id }) => String(id)),
      );
      expect(await whole(path, token, `&sort=${sort}`)).toEqual([...having, ...without]);
      expect(await whole(path, token, `&sort=-${sort}`)).toEqual([...having.toReversed(), ...without.toReversed()]);
    }
  });

  test.each(callers(path))(
    `$caller reads the same records of ${path} by offset as by next-page links`,
    async ({ caller }) => {
      const token = await CALLERS[caller]();
      const all = await whole(path, token);
      const size = Math.ceil(all.length / 3);
      const parts: string[] = [];
      for (let offset = 0; offset < all.length; offset += size)
        parts.push(...(await page(`${at(path)}limit=${size}&offset=${offset}`, token)).ids);
      expect(parts).toEqual(all);
      expect((await page(`${at(path)}offset=2147483647`, token)).ids).toEqual([]);
      const line = `${at(path)}limit=1&offset=1`;
      expect(await readEveryPage(line, token)).toEqual(all.slice(1));
    },
  );

  test(`the list ${path} links to a next page only if at least one more record exists`, async () => {
    const token = await CALLERS[FEW_CLIENTS]();
    if (!isFor(path, FEW_CLIENTS)) return;
    const all = await whole(path, token);
    expect((await page(`${at(path)}limit=${all.length}`, token)).next).toBeUndefined();
    expect((await page(`${at(path)}limit=${all.length - 1}`, token)).next).toContain('after=');
  });

  test.each(callers(path))(
    `$caller gets the exact number of all records of ${path} on each page with count=exact`,
    async ({ caller }) => {
      const token = await CALLERS[caller]();
      const all = await whole(path, token);
      for (const query of ['', '&limit=1', '&offset=1000']) {
        const { answer } = await page(`${at(path)}count=exact${query}`, token);
        expect(answer.headers['x-total-count']).toBe(String(all.length));
      }
      const { next } = await page(`${at(path)}count=exact&limit=1`, token);
      expect((await page(String(next), token)).answer.headers['x-total-count']).toBe(String(all.length));
      expect((await page(at(path), token)).answer.headers).not.toHaveProperty('x-total-count');
    },
  );

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.0', 'limit'],
    ['limit=', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=2147483648', 'offset'],
    ['count=1', 'count'],
    ['sort=', 'sort'],
    ['sort=password_hash', 'sort'],
    ['sort=id;--', 'sort'],
    ['sort=created_at,-created_at', 'sort'],
    ['sort=updated_at,created_at,updated_at', 'sort'],
    ['sort=created_at&sort=updated_at', 'sort'],
    ['sort=,', 'sort'],
    ['after=', 'after'],
    ['after=%00', 'after'],
    ['limit=1&limit=2', 'limit'],
  ])(`a request for the list ${path}?%s gets a 400 that names the parameter %s`, async (query, field) => {
    const answer = await service.ask(`GET ${at(path)}${query}`, { token: await CALLERS['an ADMIN']() });
    expectInvalid(answer, [field]);
  });

  test(`the list ${path} refuses a forged cursor, and a cursor of another list or sort order`, async () => {
    const token = await CALLERS['an ADMIN']();
    const other = lists.find((list) => !list.path.startsWith(path.split('/').slice(0, 3).join('/')));
    const cursorOf = async (line: string): Promise<string> =>
      new URL((await page(line, token)).next ?? '', 'http://x').searchParams.get('after') ?? '';
    const sort = sorts[0] ?? '';
    const cursor = JSON.parse(Buffer.from(await cursorOf(`${at(path)}limit=1`), 'base64url').toString()) as string[];
    const forge = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const [list, order = '', value, id] = cursor;
    for (const forged of [
      await cursorOf(`${at(other?.path ?? '')}limit=1`),
      await cursorOf(`${at(path)}limit=1&sort=${sort}`),
      'AAAA',
      forge(),
      forge(null),
      forge(list, order, value),
      forge(list, order, value, 'x'),
      forge(list, order, null, id),
      forge(list, order, value, null),
      forge(list, `${order},${order}`, value, value, id),
      forge(list, order, 'x', id),
      forge(list, order, '', id),
      forge(list, order, '\0', id),
      forge(list, order, 1, id),
      forge(list, order, [value], [id]),
      forge(list, `${order}; drop table public.users`, value, id),
    ]) {
      const answer = await service.ask(`GET ${at(path)}after=${forged}`, { token });
      expectInvalid(answer, ['after']);
    }
  });

  if (!names.includes('created_from')) return;

  test(`the list ${path} can be filtered by the time of creation, and both bounds belong to the range`, async () => {
    const token = await CALLERS['an ADMIN']();
    const time = (offset: number): string => `2026-01-01T00:00:00.00000${offset}Z`;
    const count = async (query: string): Promise<number> => (await whole(path, token, query)).length;
    const each = await Promise.all(
      Array.from({ length: 9 }, (_, index) => count(`&created_from=${time(index)}&created_to=${time(index)}`)),
    );
    const all = await count(`&created_from=${time(0)}&created_to=${time(8)}`);
    expect(all).toBeGreaterThan(1);
    expect(each.reduce((sum, one) => sum + one)).toBe(all);
    expect(await count(`&created_from=${time(8)}&created_to=${time(0)}`)).toBe(0);
    expect(await count(`&created_from=2026-01-01T01:00:00%2B01:00&created_to=2026-01-01T01:00:00.00001%2B01:00`)).toBe(
      all,
    );
    for (const wrong of ['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', 'now', '2026-13-01T00:00:00Z']) {
      const answer = await service.ask(`GET ${at(path)}created_from=${wrong}`, { token });
      expectInvalid(answer, ['created_from']);
    }
  });

  if (!names.includes('client_id')) return;

  test(`the list ${path} filtered by two clients has the records of both, and gets 403 if the caller lacks access to one of them`, async () => {
    const [one = '', other = '', foreign = ''] = [clients[0], clients[1], clients[FEW]];
    for (const caller of [FEW_CLIENTS, 'an ADMIN'] as const) {
      const token = await CALLERS[caller]();
      const [first, second, both] = await Promise.all(
        [one, other, `${one},${other}`].map((ids) => whole(path, token, `&client_id=${ids}`)),
      );
      expect(both?.toSorted()).toEqual([...new Set([...(first ?? []), ...(second ?? [])])].toSorted());
      expect(await readEveryPage(`${at(path)}client_id=${one},${other}&limit=3`, token)).toEqual(both);
    }
    const answer = await service.ask(`GET ${at(path)}client_id=${one},${foreign}`, {
      token: await CALLERS[FEW_CLIENTS](),
    });
    expectError(answer, 'ERROR_FORBIDDEN');
  });

  test(`the list ${path} filtered by one client has the same records for every caller who has access to that client`, async () => {
    const client = rich.clients;
    for (const { caller } of callers(path)) {
      const token = await CALLERS[caller]();
      const narrow = await whole(path, token, `&client_id=${client}`);
      expect(narrow).toEqual(await whole(path, await service.token('ADMIN', [client])));
      expect(await readEveryPage(`${at(path)}client_id=${client}&limit=2`, token)).toEqual(narrow);
    }
  });
});

describe('the search text of a list', () => {
  const NAMES = [
    '100 % bio',
    '100 bio',
    'a_b',
    'axb',
    'back\\slash',
    'backslash',
    'Crème',
    'creme',
    'Hôtels Belle Rive',
    'Cœur d’Aure',
    'STRAßE 1',
  ];
  let token: string;

  beforeAll(async () => {
    const made =
      await service.sql`insert into public.clients (company_name, contact_email) select name, 'q@b.example' from unnest(${NAMES}::text[]) as name
     returning id`;
    token = await service.token(
      'ADMIN',
      made.map(({ id }) => String(id)),
    );
  });

  test.each([
    { q: '%', found: ['100 % bio'] },
    { q: '_', found: ['a_b'] },
    { q: '\\', found: ['back\\slash'] },
    { q: '0 % b', found: ['100 % bio'] },
    { q: 'A_B', found: ['a_b'] },
    { q: 'CRÈME', found: ['Crème', 'creme'] },
    { q: '%%', found: [] },
    { q: '', found: NAMES },
    { q: 'hotels', found: ['Hôtels Belle Rive'] },
    { q: 'HÔTELS BELLE', found: ['Hôtels Belle Rive'] },
    { q: 'creme', found: ['Crème', 'creme'] },
    { q: "coeur d'aure", found: ['Cœur d’Aure'] },
    { q: 'CŒUR', found: ['Cœur d’Aure'] },
    { q: 'strasse', found: ['STRAßE 1'] },
    { q: 'q@b.example', found: NAMES },
    { q: "' or true --", found: [] },
  ])('a search for $q finds the clients $found, whatever the letter case and accents', async ({ q, found }) => {
    const answer = await service.ask(`GET /api/clients?q=${encodeURIComponent(q)}&sort=company_name&count=exact`, {
      token,
    });
    const names = (answer.json as { company_name: string }[]).map((one) => one.company_name);
    expect(names.toSorted()).toEqual(found.toSorted());
    expect(answer.headers['x-total-count']).toBe(String(found.length));
  });

  test('the service accepts a search text of 200 characters, even if each character takes several bytes', async () => {
    const ask = (text: string) => service.ask(`GET /api/clients?q=${encodeURIComponent(text)}`, { token });
    expect((await ask('🏠'.repeat(200))).status).toBe(200);
    expectError(await ask('🏠'.repeat(201)), 'ERROR_VALIDATION');
  });
});

test('the list of claims can be filtered by status, by tax, by site, and by all three at once', async () => {
  const token = await CALLERS[FEW_CLIENTS]();
  const all = (await service.ask('GET /api/reclamations', { token })).json as Record<string, unknown>[];
  for (const [name, values] of [
    ['status', ['DRAFT', 'CLOSED']],
    ['claim_type', ['TF', 'CFE']],
    ['site_id', [all[0]?.['site_id'], randomUUID()]],
  ] as const) {
    for (const value of values) {
      const answer = await service.ask(`GET /api/reclamations?${name}=${String(value)}&count=exact`, { token });
      const expected = all.filter((claim) => claim[name] === value);
      expect((answer.json as { id: string }[]).map(({ id }) => id)).toEqual(expected.map((claim) => claim['id']));
      expect(answer.headers['x-total-count']).toBe(String(expected.length));
    }
  }
  const both = await service.ask('GET /api/reclamations?claim_type=CFE&status=DRAFT', { token });
  expect(both.json).toEqual(all.filter((claim) => claim['claim_type'] === 'CFE' && claim['status'] === 'DRAFT'));
});

test('a search for the name of a client or site finds its claims, but only those of the caller’s clients', async () => {
  const [own, foreign] = [await service.tenant('Hôtel du Lac'), await service.tenant('Hôtel du Lac')];
  for (const { sites } of [own, foreign])
    await service.admin(`update public.sites set site_name = 'Usine d’Ébène' where id = $1`, [sites]);
  const token = await service.token('CLIENT', [own.clients]);
  for (const [text, found] of [
    ['hotel du lac', [own.reclamations]],
    ['EBENE', [own.reclamations]],
    // The search for claims ignores the client’s email and the site’s address, so words from there find nothing.
    ['a@b.example', []],
  ] as const) {
    const answer = await service.ask(`GET /api/reclamations?q=${encodeURIComponent(text)}`, { token });
    expect([text, (answer.json as { id: string }[]).map(({ id }) => id)]).toEqual([text, found]);
  }
});

test.each([
  ...['status=draft', 'status=', 'claim_type=XX', 'site_id=1', 'client_id=x', 'amount=1'],
  ...['status=DRAFT,draft', 'status=DRAFT,', 'status=DRAFT&status=CLOSED', 'tax_year=1899', 'tax_year=2024.0'],
  ...['commune_code=7505', 'court_deadline_from=2026-02-30', 'response_due_to=2026-01-01', 'amount_from=-1'],
  ...['claim_deadline=2026-01-01', 'tax_year=no', 'not_status=none', 'fields=', 'id=none'],
  ...['amount_to=1.005', `tax_year=${Array(21).fill(2024).join()}`],
])('the list of claims refuses the parameter %s', async (query) => {
  const answer = await service.ask(`GET /api/reclamations?${query}`, { token: await CALLERS['an ADMIN']() });
  expectInvalid(answer, [query.split('=')[0]]);
});

describe('the filters, requested fields and orders of the list of claims', () => {
  const own = (): Promise<string> => service.token('ACCOUNT_MANAGER', clients.slice(0, FEW));
  const ask = async (query: string): Promise<Record<string, unknown>[]> => {
    const answer = await service.ask(`GET /api/reclamations?${query}`, { token: await own() });
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.json as Record<string, unknown>[];
  };

  test('the list of claims can be filtered by up to 200 ids, and leaves out claims of other tenants', async () => {
    const all = await ask('');
    const ids = all.slice(0, 3).map(({ id }) => String(id));
    const foreign = tenants[FEW]?.reclamations ?? '';
    const found = await ask(`id=${[...ids, foreign, randomUUID()].join()}`);
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(await ask(`id=${foreign}`)).toEqual([]);
    const many = Array.from({ length: 200 }, () => randomUUID());
    expect(await ask(`id=${[...many.slice(1), ...ids.slice(0, 1)].join('%2C')}`)).toHaveLength(1);
    const answer = await service.ask(`GET /api/reclamations?id=${[...many, ...ids].join()}`, { token: await own() });
    expect(details(answer)).toEqual({ id: 'must be one value, or up to 200 with commas between them' });
  });

  test('each list with `fields` returns only the id and the requested fields, in JSON and in CSV', async () => {
    const token = await service.token('ADMIN');
    for (const { path } of lists) {
      const { answer } = await page(`${at(path)}limit=2`, token);
      const [record = {}] = answer.json as Record<string, unknown>[];
      const [, , some = '', other = ''] = Object.keys(record);
      const { answer: narrow } = await page(`${at(path)}limit=2&fields=${other},${some}`, token);
      const [first] = narrow.json as object[];
      expect([path, first]).toEqual([path, { id: record['id'], [some]: record[some], [other]: record[other] }]);
    }
    const { text } = await service.ask('GET /api/clients?fields=company_name&sort=company_name', {
      token,
      headers: { accept: 'text/csv' },
    });
    expect(text.replace('\uFEFF', '').split('\r\n')[0]).toBe('id,company_name');
    expectInvalid(await service.ask('GET /api/users?fields=password_hash', { token }), ['fields']);
  });

  test('the ETag of a list with requested fields changes only if one of the requested fields changes', async () => {
    const token = await service.token('ADMIN');
    const line = `GET /api/sites?client_id=${rich.clients}&fields=site_name`;
    const before = await service.ask(line, { token });
    const headers = { 'if-none-match': String(before.headers['etag']) };
    await service.admin(`update public.sites set address = 'Lyon' where id = $1`, [rich.sites]);
    expect((await service.ask(line, { token, headers })).status).toBe(304);
    await service.admin(`update public.sites set site_name = 'Annexe' where id = $1`, [rich.sites]);
    expect((await service.ask(line, { token, headers })).status).toBe(200);
  });

  test('a list with requested fields, expanded names and two sort columns is correct on each page', async () => {
    const token = await own();
    const all = await whole('/api/reclamations', token, '&sort=-client,amount');
    const line = '/api/reclamations?limit=2&sort=-client,amount&fields=amount&expand=site,moves&count=exact';
    expect(await readEveryPage(line, token)).toEqual(all);
    const [first] = (await page(line, token)).answer.json as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).toEqual(['id', 'amount', 'site', 'moves']);
  });

  test.each([
    ['created_at_from=2026-01-01T00:00:00.000003Z', 'created_from=2026-01-01T00:00:00.000003Z'],
    ['created_at_to=2026-01-01T00:00:00.000003Z', 'created_to=2026-01-01T00:00:00.000003Z'],
    ['collection_date_from=2025-01-01', 'collection_from=2025-01-01'],
    ['sort=client_id', 'sort=client'],
    ['sort=-site_id,amount', 'sort=-site,amount'],
  ])(
    'the list of claims with the parameter %s has the same records as with its former name, %s',
    async (query, old) => {
      const token = await own();
      const found = await whole('/api/reclamations', token, `&${query}`);
      expect(found).toEqual(await whole('/api/reclamations', token, `&${old}`));
      expect(found).not.toEqual(await whole('/api/reclamations', token));
    },
  );

  test('a list filtered by status[] says that the parameter is status', async () => {
    const answer = await service.ask('GET /api/reclamations?status[]=DRAFT', { token: await own() });
    expect(details(answer)).toEqual({ 'status[]': 'is not known here: the field is status' });
  });

  test('the list of claims can be filtered for missing values (none) and for every status but one (not_status)', async () => {
    const all = await ask('');
    for (const name of ['claim_deadline', 'submitted_at', 'granted_amount', 'grounds', 'tax_year']) {
      const without = all.filter((claim) => claim[name] === null).map(({ id }) => id);
      expect([name, (await ask(`${name}=none`)).map(({ id }) => id)]).toEqual([name, without]);
    }
    expect(await ask('not_status=DRAFT')).toEqual(all.filter(({ status }) => status !== 'DRAFT'));
  });

  test('a list filtered by a partner has the records of that partner’s clients, and a caller with the role CLIENT gets 403 for that filter', async () => {
    const { partners, clients: client } = rich;
    const linked = await service.sql`select client_id from public.client_partners where partner_id = ${partners}`;
    expect(linked.map((link) => link['client_id'])).toContain(client);
    for (const [path, key] of [
      ['/api/reclamations', 'client_id'],
      ['/api/invoices', 'client_id'],
      ['/api/clients', 'id'],
    ] as const) {
      const answer = await service.ask(`GET ${path}?partner_id=${partners}`, { token: await own() });
      const found = (answer.json as Record<string, unknown>[]).map((record) => record[key]);
      expect([path, [...new Set(found)]]).toEqual([path, [client]]);
      const refused = await service.ask(`GET ${path}?partner_id=${partners}`, {
        token: await service.token('CLIENT', [client]),
      });
      await expectRefusal(service, refused, 'ERROR_FORBIDDEN');
    }
  });
});

test.each([
  ['abc', 'must be a date, as in 2026-12-31'],
  ['01/02/2026', 'must be a date, as in 2026-12-31'],
  ['1899-12-31', 'must lie between 1900 and 2200'],
])('the list of claims with claim_deadline_from=%s gets 400: the value %s', async (day, rule) => {
  const answer = await service.ask(`GET /api/reclamations?claim_deadline_from=${day}`, {
    token: await service.token('ADMIN'),
  });
  expectError(answer, 'ERROR_VALIDATION');
  expect(details(answer)).toEqual({ claim_deadline_from: rule });
});

test.each([
  ['q=a&q=b', { q: 'must be given once' }],
  ['limit=1&limit=2', { limit: 'must be given once' }],
  ['created_from=2026-01-01&created_from=x', { created_from: 'must be given once' }],
  ['status=DRAFT&status=CLOSED', { status: 'must be given once, with commas between its values' }],
  ['sort=amount&sort=status', { sort: 'must be given once, with commas between its values' }],
  ['wrong=1&wrong=2', { wrong: 'is not known here' }],
  [`status=${Array(21).fill('DRAFT').join()}`, { status: 'must be one value, or up to 20 with commas between them' }],
  ['sort=amount,amount', { sort: 'must not name amount twice' }],
  ['sort=-amount,amount', { sort: 'must not name amount twice' }],
  ['sort=amount,status,tax_year', { sort: 'must be one value, or up to 2 with commas between them' }],
])('a list of claims with %s gets 400: %j', async (query, problems) => {
  const answer = await service.ask(`GET /api/reclamations?${query}`, { token: await service.token('ADMIN') });
  expectError(answer, 'ERROR_VALIDATION');
  expect(details(answer)).toEqual(problems);
});

test.each([
  ['0000-01-01T00:00:00Z', 400],
  ['0001-01-01T00:00:00+14:00', 200],
  ['9999-12-31T23:59:59.999999-14:00', 200],
])('a list with created_from=%s gets %i, because the years 0001 to 9999 are accepted', async (time, status) => {
  const query = new URLSearchParams({ created_from: time }).toString();
  const answer = await service.ask(`GET /api/reclamations?${query}`, { token: await service.token('ADMIN') });
  expect(answer.status).toBe(status);
  if (status === 400) expect(details(answer)).toEqual({ created_from: 'must lie between 0001 and 9999' });
});
