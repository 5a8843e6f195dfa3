import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { document, resolved } from '../support/described.ts';
import { TABLES } from '../policies/rights.ts';
import { startService } from '../support/service.ts';
import { readPages } from '../resources/paging.ts';
import { forSuite } from '../support/suite.ts';
import { furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';

/*
 * Tests that a list returns the right rows for any filters, order and pages. The test itself filters and sorts all rows
 * that the caller is allowed to read, in JavaScript, and compares the results. The filters and orders come from the
 * OpenAPI description, so new ones are tested automatically.
 */

const RUNS = 400;
const SEED = 20_260_301;

type Row = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly items?: object; readonly type?: string; readonly $ref?: string };
}

type Paths = Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;

/**
 * The fields that the filter `q` searches in each list. In the list of claims, `q` also searches the names of the
 * client and the site.
 */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  clients: ['company_name', 'contact_email', 'address'],
  sites: ['site_name', 'address'],
  cadastres: ['reference', 'address'],
  reclamations: ['notice_reference', 'commune_code', 'grounds'],
  documents: ['filename'],
  partners: ['name', 'contact_email', 'address'],
  invoices: ['number'],
  'partner-invoices': ['number'],
  users: ['name', 'email'],
};

const PAGE = ['limit', 'offset', 'after', 'count', 'sort'];

const LISTS = Object.entries(document.paths as Paths).flatMap(([path, { get }]) => {
  const query = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const sort = query.find(({ name }) => name === 'sort')?.schema.items;
  if (sort === undefined) return [];
  const { enum: sorts } = resolved(sort) as { readonly enum: readonly string[] };
  const expand = query.find(({ name }) => name === 'expand')?.schema.items ?? { enum: [] };
  const { enum: named } = resolved(expand) as { readonly enum: readonly string[] };
  return [{ path, sorts, named, filters: query.filter(({ name }) => !PAGE.includes(name)) }];
});
type List = (typeof LISTS)[number];

const TEXTS = [
  ...['hotels', 'HÔTELS', 'coeur', 'Cœur d’', 'etage', '75', 'belle  rive', '%', '_', 'zzz', 'é', ''],
  ...['siège 2'],
];

const tenants = [newTenant(), newTenant(), newTenant()] as const;
/** For each caller and each path of a list, all rows that the caller is allowed to read. */
const everything = new Map<string, readonly Row[]>();
const tokens = new Map<string, string>();

const service = await forSuite(startService());
const [first, second, foreign] = tenants;
await service.admin(
  tenants
    .map(
      (tenant, n) => tenantSql(tenant, ['Hôtels Belle Rive', 'Cœur d’Aure', 'HOTELS'][n] ?? '') + furnitureSql(tenant),
    )
    .join('\n'),
);
for (const [n, tenant] of tenants.entries()) await service.admin(population(n, tenant));
tokens.set('manager', await service.token('ACCOUNT_MANAGER', [first.clients, second.clients]));
tokens.set('client', await service.token('CLIENT', [first.clients]));
tokens.set('scoped', await service.token('ADMIN', [second.clients, foreign.clients]));
tokens.set('admin', await service.token('ADMIN'));
for (const caller of tokens.keys())
  for (const { path, named } of LISTS)
    if (isFor(caller, path)) {
      const expand = named.length === 0 ? '' : `&expand=${named.filter((word) => word !== 'moves').join()}`;
      everything.set(`${caller} ${path}`, await pagesOf(caller, `${at(path)}?limit=1000${expand}`, 1));
    }
const named = [...(everything.get('admin /api/clients') ?? []), ...(everything.get('admin /api/sites') ?? [])];
/** The names of all clients and sites, by id. */
const names = new Map(named.map((row) => [row['id'], String(row['company_name'] ?? row['site_name'])]));
const words = [...everything.values()]
  .flat()
  .flatMap((row) => Object.keys(row).map((name) => valueIn(row, name)))
  .filter((one) => typeof one === 'string');
const ordered = await service.sql`select w.word
  from (select distinct unnest(${words}::text[])) as w (word) order by w.word collate "und-x-icu"`;
/** The stored times of all records, by the record's id: lists are sorted by microseconds, and responses show milliseconds. */
const stored = new Map<unknown, Row>();
for (const table of TABLES)
  for (const { row } of await service.admin(`select to_jsonb(t) as row from public.${table} as t`))
    stored.set((row as Row)['id'], row as Row);
/** The rank of each text in alphabetical order. */
const ranks = new Map(ordered.map(({ word }, rank) => [String(word), rank]));

/**
 * Returns SQL that creates rows with few different values, among them null, so that many rows compare as equal when a
 * list is sorted.
 */
function population(
  n: number,
  { clients, sites, reclamations, biller, users, newcomer }: ReturnType<typeof newTenant>,
): string {
  const at = `timestamptz '2026-01-01' + abs(hashint4(i + ${n})) % 20 * interval '1 hour'`;
  return `
    set session_replication_role = replica;
    set timezone = 'UTC';
    insert into public.sites (client_id, site_name, address, created_at, updated_at)
    select '${clients}', (array['Siège ', 'Étage ', 'Hôtel'])[1 + i % 3] || i % 4, case when i % 2 = 0 then 'Rue de l’Église' end, ${at}, ${at}
    from generate_series(1, 7) as i;
    insert into public.cadastres (site_id, commune_code, section, number, address, rental_value, reference_year, created_at, updated_at)
    select '${sites}', (array['75056', '2A004', '13055'])[1 + i % 3], 'AC', lpad(i::text, 4, '0'), case when i % 3 = 0 then 'Lieu-dit Hôtels' end,
        nullif(i % 4, 0) * 100.5, 2019 + nullif(i % 5, 0), ${at}, ${at}
    from generate_series(1, 15) as i;
    insert into public.reclamations (client_id, site_id, claim_type, amount, status, tax_year, commune_code, notice_reference, grounds,
        collection_date, submitted_at, court_deadline, assignee_id, created_at, updated_at)
    select '${clients}', s.id, (array['TF', 'CFE'])[1 + i % 2], i % 5 + 0.25,
        (array['DRAFT', 'SUBMITTED', 'ACCEPTED', 'PARTIALLY_ACCEPTED', 'CLOSED'])[1 + i % 5],
        2020 + nullif(i % 4, 0), (array['75056', '2A004', null])[1 + i % 3],
        case when i % 3 > 0 then 'N° ' || i % 6 end, (array['Cœur de zone', 'belle  rive, 2ᵉ étage', null, '100 %'])[1 + i % 4],
        date '2024-01-01' + nullif(i % 6, 0) * 100, ${at} + nullif(i % 3, 0) * interval '1 day',
        date '2026-01-01' + nullif(i % 7, 0), (array['${users}', '${newcomer}', null])[1 + i % 3]::uuid, ${at}, ${at} + i % 3 * interval '1 hour'
    from (select row_number() over (order by id) as n, id from public.sites where client_id = '${clients}') as s
    join generate_series(1, 60) as i on s.n = 1 + i % 8;
    insert into app.claim_words (id, client_id, words) select id, client_id, app.words(search_text) from public.reclamations
    on conflict (id) do nothing;
    insert into public.documents (reclamation_id, filename, file_path, uploaded_at, updated_at, kind)
    select '${reclamations}', (array['Hôtels', 'avis', 'étage'])[1 + i % 3] || '.pdf', gen_random_uuid(), ${at}, ${at} + i % 3 * interval '1 hour',
        (array['AVIS', 'DECISION', 'AUTRE'])[1 + i % 3]
    from generate_series(1, 9) as i;
    insert into app.client_documents (id, client_id, reclamation_id, filename, uploaded_at, updated_at, kind)
    select id, '${clients}', reclamation_id, filename, uploaded_at, updated_at, kind
    from public.documents where reclamation_id = '${reclamations}' on conflict do nothing;
    insert into public.notes (client_id, reclamation_id, author_id, text, internal, due_on, assignee_id, done_at, created_at, updated_at)
    select '${clients}', '${reclamations}', (array['${users}', '${newcomer}'])[1 + i % 2]::uuid, 'Note', i % 3 = 0, date '2026-01-01' + nullif(i % 5, 0),
        case when i % 5 > 0 then (array['${users}', null])[1 + i % 2]::uuid end, case when i % 5 = 1 then ${at} end, ${at}, ${at} + i % 3 * interval '1 hour'
    from generate_series(1, 20) as i;
    insert into public.reclamation_history (reclamation_id, client_id, from_status, to_status, actor, changed_at)
    select '${reclamations}', '${clients}', 'DRAFT', 'DRAFT', 'fixture', ${at} from generate_series(1, 5) as i;
    insert into public.factures (client_id, amount_excl_tax, status, number, issue_date, due_date, paid_at, created_at, updated_at)
    select '${clients}', i % 4, (array['DRAFT', 'ISSUED', 'PAID'])[1 + i % 3], case when i % 3 > 0 then 'F-${n}-' || i end,
        case when i % 3 > 0 then date '2026-01-01' + i % 5 end, case when i % 4 > 0 then date '2026-02-01' + i % 5 end,
        case when i % 3 = 2 then ${at} end, ${at}, ${at}
    from generate_series(1, 30) as i;
    insert into public.partner_invoices (partner_id, client_id, number, status, amount_excl_tax, vat_amount, amount_incl_tax, issue_date, due_date, created_at, updated_at)
    select '${biller}', '${clients}', 'N° ' || i, (array['RECEIVED', 'PAID'])[1 + i % 2], i % 4, 0, i % 4,
        date '2026-01-01' + nullif(i % 3, 0), date '2026-02-01' + nullif(i % 4, 0), ${at}, ${at}
    from generate_series(1, 20) as i;
    insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, last_error, created_at, next_attempt_at, delivered_at)
    select '${users}', 'fixture', 'TAX_SPECIALIST', case when i % 4 > 0 then array['${clients}']::uuid[] else '{}' end, true, false,
        case when i % 3 = 0 then 'away' end, ${at}, ${at}, case when i % 2 = 0 then ${at} end
    from generate_series(1, 12) as i`;
}

function isFor(caller: string, path: string): boolean {
  const staffOnly = ['/api/users', '/api/partners', '/api/partner-invoices'];
  if (path === '/api/audit-logs' || path === '/api/identity-changes') return caller === 'admin' || caller === 'scoped';
  if (caller === 'client') return !staffOnly.includes(path);
  // Paths with an id name a record of the first tenant, to which the ADMIN with a list of clients has no access.
  return caller !== 'scoped' || !path.includes('{');
}

function at(path: string): string {
  return path.replace('{clientId}', tenants[0].clients).replace('{id}', tenants[0].reclamations);
}

/** Reads all pages of a list, and expects that the list has `pages` pages. */
async function pagesOf(caller: string, line: string, pages?: number): Promise<Row[]> {
  const answers = await readPages(service, line, tokens.get(caller) ?? '');
  if (pages !== undefined) expect(answers).toHaveLength(pages);
  return answers.flatMap(({ json }) => json as Row[]);
}

/** Returns the value of a row’s field. If the request expands the field, this is the name of the other record. */
function valueIn(row: Row, name: string): unknown {
  const value = row[name];
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isNamed ? Object.values(value).at(-1) : value;
}

/** Returns the field of a record that a filter compares, for example `created_at` for `created_from`. */
function fieldOf(name: string, rows: readonly Row[]): string | undefined {
  const bare = name.replace(/^not_|_(?:from|to)$/, '');
  const known = Object.keys(rows[0] ?? {});
  const fields = [bare, `${bare}_at`, `${bare}_date`, ...(bare === 'created' ? ['uploaded_at'] : [])];
  return fields.find((field) => known.includes(field));
}

function searchable(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return plain.replaceAll('œ', 'oe').replaceAll('æ', 'ae').replaceAll('ß', 'ss').replaceAll('’', "'");
}

function collapsed(text: string): string {
  return searchable(text).trim().replaceAll(/\s+/g, ' ');
}

function wordsOf(text: string): readonly string[] {
  return searchable(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Converts a field’s value for comparison: a text to its alphabetical rank, and a date or time to a text of fixed
 * length.
 */
function comparable(value: unknown): number | string {
  if (typeof value !== 'string') return Number(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return ranks.get(value) ?? value;
  return new Date(value).toISOString().slice(0, 19) + (/\.(\d+)/.exec(value)?.[1] ?? '').padEnd(6, '0');
}

function passes(list: List, row: Row, name: string, value: string): boolean {
  const kind = list.path.split('/').at(-1) ?? '';
  if (name === 'q') {
    const texts = (SEARCHED[kind] ?? []).map((column) => textOf(row[column]));
    if (kind === 'reclamations') texts.push(names.get(row['client_id']) ?? '', names.get(row['site_id']) ?? '');
    if (['reclamations', 'documents'].includes(kind)) {
      const words = texts.flatMap(wordsOf);
      return wordsOf(value).every((asked) => words.some((word) => word.startsWith(asked)));
    }
    const asked = collapsed(value);
    return texts.some((text) => collapsed(text).includes(asked));
  }
  const found = row[fieldOf(name, [row]) ?? ''];
  if (name.endsWith('_from')) return found !== null && comparable(found) >= comparable(coerced(found, value));
  if (name.endsWith('_to')) return found !== null && comparable(found) <= comparable(coerced(found, value));
  if (name.startsWith('not_')) return !value.split(',').includes(String(found));
  if (isNoneAlone(list.filters.find((one) => one.name === name))) return found === null;
  const isList = list.filters.find((one) => one.name === name)?.schema.items !== undefined;
  const sought = found === null && takesNone(list.filters, name) ? 'none' : String(found);
  return (isList ? value.split(',') : [value]).includes(sought);
}

/** True if a filter accepts only the word `none`, which selects the rows whose field is empty. */
function isNoneAlone(parameter: Parameter | undefined): boolean {
  const { enum: words } = resolved(parameter?.schema ?? {}) as { readonly enum?: readonly string[] };
  return words?.join() === 'none';
}

/** True if a filter accepts the word `none` among its values, which selects the rows whose field is empty. */
function takesNone(filters: readonly Parameter[], name: string): boolean {
  return JSON.stringify(filters.find((one) => one.name === name)?.schema).includes('(?:none|');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const coerced = (like: unknown, value: string): unknown => (typeof like === 'number' ? Number(value) : value);

/** The OpenAPI schema of each record’s status. Its enum lists the statuses in the order of the record’s life. */
const LIVES: Readonly<Record<string, string>> = {
  reclamations: 'ReclamationStatus',
  invoices: 'InvoiceStatus',
  'partner-invoices': 'PartnerInvoiceStatus',
};

function placeOf(list: List, row: Row, field: string, shown: unknown): number | string {
  const isTime = typeof shown === 'string' && /^\d{4}-\d\d-\d\dT/.test(shown);
  const value = (isTime && stored.get(row['id'])?.[field]) || shown;
  if (field !== 'status') return comparable(value);
  const name = LIVES[list.path.split('/').at(-1) ?? ''] ?? '';
  const { enum: life } = resolved({ $ref: `#/components/schemas/${name}` }) as { readonly enum: readonly unknown[] };
  return life.indexOf(value);
}

function inOrder(list: List, rows: readonly Row[], sort: string): Row[] {
  const words = sort.split(',');
  const last = words.at(-1)?.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => {
    for (const word of words) {
      const column = word.replace('-', '');
      // A list that sorts by the name of the referenced record takes the former name of that order too.
      const field = list.named.find((name) => `${name}_id` === column && list.sorts.includes(name)) ?? column;
      const [one, other] = [valueIn(a, field) ?? null, valueIn(b, field) ?? null];
      if (one === null || other === null) {
        if (one !== other) return one === null ? 1 : -1;
        continue;
      }
      const [x, y] = [placeOf(list, a, field, one), placeOf(list, b, field, other)];
      if (x !== y) return (x < y ? -1 : 1) * (word.startsWith('-') ? -1 : 1);
    }
    return (String(a['id']) < String(b['id']) ? -1 : 1) * last;
  });
}

interface Asked {
  readonly caller: string;
  readonly list: List;
  readonly filters: Readonly<Record<string, string>>;
  readonly sort: string;
  readonly limit: number;
}

/** Generates one or several values of a filter that occur in the rows. */
function valueOf(parameter: Parameter, rows: readonly Row[]): fc.Arbitrary<string> | undefined {
  const { name, schema } = parameter;
  if (name === 'q') return fc.constantFrom(...TEXTS);
  const field = fieldOf(name, rows);
  if (field === undefined) return undefined;
  if (isNoneAlone(parameter)) return fc.constant('none');
  const values = [
    ...new Set(
      rows
        .map((row) => row[field])
        .filter((value) => value != null)
        .map(String),
    ),
  ];
  if (values.length === 0) return undefined;
  if (takesNone([parameter], name)) values.push('none');
  const one = fc.constantFrom(...values);
  return schema.items === undefined
    ? one
    : fc.array(one, { minLength: 1, maxLength: 4 }).map((several) => several.join());
}

function anyQuery(): fc.Arbitrary<Asked> {
  const pairs = [...everything].filter(([, rows]) => rows.length > 1);
  return fc.constantFrom(...pairs).chain(([key, rows]) => {
    const [caller = '', path = ''] = key.split(' ');
    const list = LISTS.find((one) => one.path === path);
    if (list === undefined) throw new Error(`no list ${path}`);
    const values = list.filters.flatMap((parameter) => {
      const value = valueOf(parameter, rows);
      return value === undefined ? [] : [value.map((one) => [parameter.name, one] as const)];
    });
    const filters = fc
      .subarray(values, { maxLength: Math.min(values.length, 3) })
      .chain((some) => fc.tuple(...some))
      .map((some) => Object.fromEntries(some));
    const sort = fc
      .uniqueArray(fc.constantFrom(...list.sorts), {
        minLength: 1,
        maxLength: 2,
        selector: (word) => word.replace('-', ''),
      })
      .map((words) => words.join());
    return (
      fc
        .record({
          caller: fc.constant(caller),
          list: fc.constant(list),
          filters,
          sort,
          limit: fc.integer({ min: 3, max: 40 }),
        })
        // If a list is sorted by updated_at, the API is allowed to return rows older than the filter updated_from asks
        // for. This test omits such requests.
        .filter(
          (asked) =>
            !(
              asked.sort.startsWith('updated_at') &&
              Object.keys(asked.filters).some((name) => /^updated.*_from$/.test(name))
            ),
        )
    );
  });
}

test('every list of the API returns exactly the caller’s rows that match its filters, in the requested order and pages', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(anyQuery(), async ({ caller, list, filters, sort, limit }) => {
      const all = everything.get(`${caller} ${list.path}`) ?? [];
      const left = all.filter((row) =>
        Object.entries(filters).every(([name, value]) => passes(list, row, name, value)),
      );
      const expected = inOrder(list, left, sort).map(({ id }) => id);
      const query = new URLSearchParams({ ...filters, sort, limit: String(limit) });
      const line = `${at(list.path)}?${query.toString()}`;
      const rows = await pagesOf(caller, line, Math.max(1, Math.ceil(expected.length / limit)));
      expect([line, rows.map(({ id }) => id)]).toEqual([line, expected]);
      const counted = await service.ask(`GET ${line}&count=exact`, { token: tokens.get(caller) ?? '' });
      expect([line, counted.headers['x-total-count']]).toEqual([line, String(expected.length)]);
      if (expected.length > 0 && Object.keys(filters).length > 0) found += 1;
    }),
    { numRuns: RUNS, seed: SEED, includeErrorInReport: true },
  );
  // At least a quarter of the generated filters must have selected rows, because a filter that selects nothing tests
  // little.
  expect(found).toBeGreaterThan(RUNS / 4);
}, 300_000);
