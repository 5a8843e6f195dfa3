import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { readingAs } from '../../bench/caller.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/*
 * The service builds the SQL of a list in several forms. This suite tests that each form returns the same rows as a
 * plain query without row-level security.
 */

const CLIENTS = 90;

function listAt(path: string): Extract<Endpoint, { list: unknown }> {
  const found = allEndpoints.find((endpoint) => endpoint.path === path && 'list' in endpoint);
  if (found === undefined || !('list' in found)) throw new Error(`no list at ${path}`);
  return found;
}

const ANY_STATUS = `r.status = any (string_to_array($, ','))`;

/**
 * For each list of the API its filters, each with the same condition in plain SQL, in which `$` stands for the filter’s
 * value.
 */
const LISTS = {
  reclamations: {
    list: listAt('/api/reclamations'),
    client: 'r.client_id',
    naming: 'client_id',
    sorts: [
      ...['created_at', 'updated_at', 'amount', 'status', 'court_deadline', 'tax_year'],
      ...['client', 'site', 'notice_reference', 'granted_amount'],
    ],
    filters: {
      status: [ANY_STATUS, ['DRAFT', 'CLOSED', 'LITIGATION', 'DRAFT,CLOSED']],
      not_status: [`r.status <> all (string_to_array($, ','))`, ['DRAFT', 'DRAFT,CLOSED']],
      tax_year: [
        `coalesce(r.tax_year::text, 'none') = any (string_to_array($, ','))`,
        ['2023', '2022,2024', 'none', '2023,none'],
      ],
      court_deadline: [`$ = 'none' and r.court_deadline is null`, ['none']],
      claim_type: ['r.claim_type = $', ['TF']],
      q: [`starts_with(lower(r.notice_reference), $)`, ['ab1', 'none']],
    },
  },
  cadastres: {
    list: listAt('/api/cadastres'),
    naming: 'client_id',
    client: '(select s.client_id from public.sites as s where s.id = r.site_id)',
    sorts: ['created_at', 'updated_at', 'commune_code', 'reference'],
    filters: { commune_code: ['r.commune_code = $', ['75101', '75103', '75109']] },
  },
  factures: {
    list: listAt('/api/invoices'),
    client: 'r.client_id',
    naming: 'client_id',
    sorts: ['created_at', 'updated_at', 'status', 'amount_excl_tax', 'amount_incl_tax'],
    filters: { status: [ANY_STATUS, ['DRAFT', 'PAID', 'PAID,DRAFT']] },
  },
  documents: {
    list: listAt('/api/documents'),
    naming: 'client_id',
    client: '(select c.client_id from public.reclamations as c where c.id = r.reclamation_id)',
    sorts: ['uploaded_at', 'updated_at', 'filename', 'kind'],
    filters: {
      kind: [`r.kind = any (string_to_array($, ','))`, ['AVIS', 'MANDAT', 'COURRIER', 'AVIS,AUTRE']],
      q: [String.raw`r.filename ~ ('\m' || $)`, ['a', '1', 'pdf', 'none']],
    },
  },
  audit_logs: {
    list: listAt('/api/audit-logs'),
    client: 'r.client_context',
    naming: 'client_context',
    sorts: ['created_at'],
    filters: {
      success: ['r.success = $::boolean', ['true', 'false']],
      action: ['r.action = $', ['a1', 'a7']],
      resource_type: ['r.resource_type = $', ['walk']],
    },
  },
} as const;

const TIMES = {
  created_from: 'r.$created >= $',
  created_to: 'r.$created <= $',
  updated_from: 'r.updated_at >= $',
  updated_to: 'r.updated_at <= $',
} as const;

/**
 * SQL that inserts rows with only a few different times, amounts and statuses, so that many rows tie when a list is
 * sorted by one of these. Some clients get many rows, others few or none.
 */
const POPULATION = `
  set session_replication_role = replica;
  set timezone = 'UTC';
  insert into public.clients (id, company_name, contact_email)
  select md5('c' || n)::uuid, 'C' || n % 7, 'a@b.example' from generate_series(1, ${CLIENTS}) as n;
  insert into public.sites (id, client_id, site_name)
  select md5('s' || n)::uuid, md5('c' || n)::uuid, 'S' || n % 11 from generate_series(1, ${CLIENTS}) as n;
  create temporary table row as
  select md5('c' || n)::uuid as client, md5('s' || n)::uuid as site, n * 100 + i as n,
      timestamptz '2026-01-01' + abs(hashint4(n * 100 + i)) % 40 * interval '1 microsecond' as at
  from generate_series(1, ${CLIENTS}) as n cross join lateral generate_series(1, n % 7 * n % 19) as i;
  insert into public.reclamations (client_id, site_id, claim_type, amount, status, notice_reference, tax_year,
      court_deadline, created_at, updated_at)
  select client, site, (array['TF', 'CFE'])[1 + n % 2], n % 5, (array['DRAFT', 'SUBMITTED', 'CLOSED', 'APPROVED'])[1 + n % 4],
      upper(substr(md5(n::text), 1, 12)), 2020 + nullif(n % 5, 0),
      date '2026-01-01' + nullif(n % 4, 0), at, at + n % 3 * interval '1 microsecond'
  from row;
  insert into app.claim_words (id, client_id, words) select id, client_id, app.words(search_text) from public.reclamations;
  insert into public.cadastres (site_id, commune_code, section, number, created_at, updated_at)
  select site, '7510' || 1 + n % 4, 'AB', lpad((n % 100)::text, 4, '0'), at, at + n % 3 * interval '1 microsecond' from row;
  insert into public.factures (client_id, amount_excl_tax, created_at, updated_at)
  select client, n % 5, at, at + n % 3 * interval '1 microsecond' from row;
  insert into public.documents (id, reclamation_id, filename, file_path, uploaded_at, updated_at, kind)
  select md5('d' || n)::uuid, (select c.id from public.reclamations as c where c.client_id = client order by c.id limit 1),
      substr(md5((n % 30)::text), 1, 5) || '.pdf', n, at, at + n % 3 * interval '1 microsecond',
      (array['AVIS', 'MANDAT', 'AUTRE'])[1 + n % 3]
  from row;
  insert into app.client_documents (id, client_id, reclamation_id, filename, uploaded_at, updated_at, kind)
  select d.id, c.client_id, d.reclamation_id, d.filename, d.uploaded_at, d.updated_at, d.kind
  from public.documents as d join public.reclamations as c on c.id = d.reclamation_id;
  insert into public.audit_logs (action, resource_type, client_context, success, actor, created_at)
  select 'a' || n % 3, 'walk', client, n % 4 = 0, 'fixture', at from row;
  analyze`;

const postgres = await forSuite(createTestDatabase());
const admin = await forSuite(connected(postgres.adminUrl));
await admin.query(POPULATION);
const clients = (await admin.query<{ id: string }>('select id from public.clients order by id')).rows.map(
  ({ id }) => id,
);
const database = await forSuite(
  openDatabase({
    ...{ url: postgres.apiUrl, poolSize: 1, statementTimeoutMs: 30_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  }),
);

interface ListQuery {
  readonly table: keyof typeof LISTS;
  readonly role: 'ADMIN' | 'ACCOUNT_MANAGER';
  /** The number of clients that the caller of a list request has; 0 stands for an ADMIN of all clients. */
  readonly size: number;
  readonly first: number;
  /** The value of a list request’s parameter `sort`: one or two fields. */
  readonly sort: string;
  /** The number of the caller’s clients that the list request names as a filter. */
  readonly naming: number;
  readonly limit: number;
  readonly offset: number;
  /**
   * The index, among all rows that pass the filters, of the row after which the requested page begins, or undefined for
   * the first page.
   */
  readonly after: number | undefined;
  readonly filters: Readonly<Record<string, string>>;
  readonly isCounted: boolean;
}

/**
 * True if a list returns only rows that pass its filters. A list sorted by updated_at is allowed to return rows older
 * than its filter updated_from.
 */
const isPlain = ({ sort, filters }: ListQuery): boolean =>
  !(sort.startsWith('updated_at') && 'updated_from' in filters);

/** Generates list requests of callers with few and many clients, with pages of very different length. */
const anyQuery: fc.Arbitrary<ListQuery> = fc
  .constantFrom(...(Object.keys(LISTS) as (keyof typeof LISTS)[]))
  .chain((table) => {
    const { filters } = LISTS[table];
    const sorts: readonly string[] = LISTS[table].sorts;
    const [newest = ''] = sorts;
    const times = Object.keys(TIMES).filter((name) => table !== 'audit_logs' || name.startsWith('created'));
    const moment = fc
      .integer({ min: 0, max: 45 })
      .map((micros) => `2026-01-01T00:00:00.${String(micros).padStart(6, '0')}Z`);
    const values = Object.entries(filters).map(([name, [, of]]) => [
      name,
      fc.constantFrom(...(of as readonly string[])),
    ]);
    return fc.record({
      table: fc.constant(table),
      role: fc.constantFrom(
        'ADMIN' as const,
        table === 'audit_logs' ? ('ADMIN' as const) : ('ACCOUNT_MANAGER' as const),
      ),
      size: fc.constantFrom(0, 1, 2, 15, 16, 17, 32, 33, 34, 70, CLIENTS),
      first: fc.nat(CLIENTS),
      sort: fc
        .uniqueArray(fc.constantFrom(...sorts, newest, newest), { minLength: 1, maxLength: 2 })
        .chain((fields) => fc.tuple(...fields.map((one) => fc.constantFrom(one, `-${one}`))))
        .map((words) => words.join()),
      naming: fc.constantFrom(0, 0, 0, 1, 2, 20),
      limit: fc.constantFrom(1, 2, 7, 20, 100, 1000),
      offset: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 500 }) },
      ),
      after: fc.option(fc.nat(300), { nil: undefined }),
      filters: fc.oneof(
        fc.constant({}),
        fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<string>>, { requiredKeys: [] }),
        fc.record(Object.fromEntries(times.map((name) => [name, moment])), { requiredKeys: [] }),
      ) as fc.Arbitrary<Record<string, string>>,
      isCounted: fc.boolean(),
    });
  })
  .filter(isPlain);

/** Generates list requests of an ADMIN of all clients who filters claims by a rare value, newest or oldest first. */
const rareFilter: fc.Arbitrary<ListQuery> = fc
  .tuple(
    anyQuery,
    fc.constantFrom('-created_at', 'created_at'),
    fc.constantFrom<ListQuery['filters']>({ q: 'ab1' }, { q: 'a' }, { q: 'none' }, { tax_year: '2023' }),
  )
  .map(([one, sort, filters]) => ({
    ...{ ...one, table: 'reclamations', size: 0, naming: 0, sort, filters },
    offset: one.offset % 2,
  }));

test.each([
  { kind: 'any filters', requests: anyQuery, numRuns: 400 },
  { kind: 'a rare filter over all clients', requests: rareFilter, numRuns: 60 },
])(
  'a list requested with $kind has the rows and the order of a plain SQL query, in every form of SQL that the service builds',
  async ({ requests, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(requests, async (one) => {
        const role = one.size === 0 ? 'ADMIN' : one.role;
        const own = clients.filter((_, index) => (index + one.first) % CLIENTS < one.size);
        const named = own.slice(0, one.naming);
        const all = await plain(one, named.length === 0 ? own : named);
        const last = one.after === undefined ? undefined : all[one.after];
        const query = {
          ...{ limit: String(one.limit), sort: one.sort, ...one.filters },
          ...(one.offset > 0 && { offset: String(one.offset) }),
          ...(named.length > 0 && { [LISTS[one.table].naming]: named.join() }),
          ...(one.isCounted && { count: 'exact' }),
          ...(last !== undefined && {
            after: Buffer.from(
              JSON.stringify([one.table, one.sort, ...collationOf(one), ...last.values, last.id]),
            ).toString('base64url'),
          }),
        };
        const { list } = LISTS[one.table];
        if (!('list' in list)) throw new Error('no list');
        const context = readingAs(role, own);
        const input = { params: {}, query: list.query?.parse(query) ?? {}, body: {} };
        const [result] = await database.run(context, [list.list(input, context.caller).records]);
        const start = (last === undefined ? 0 : (one.after ?? 0) + 1) + one.offset;
        const page = all.slice(start, start + one.limit + 1).map(({ id }) => id);
        const rows = result?.rows ?? [];
        expect(rows.map(([id]) => id).filter((id) => id !== null)).toEqual(page);
        if (one.isCounted) expect(rows[0]?.at(-1)).toBe(String(all.length));
      }),
      { numRuns, seed: 20_260_101 },
    );
  },
);

interface Last {
  readonly id: string;
  readonly values: readonly (string | null)[];
}

/** The name of the collation if the list is sorted by text, because the list’s cursor contains that name. */
const collationOf = ({ sort }: ListQuery): readonly string[] =>
  /commune_code|reference|client|site|filename|kind/.test(sort) ? ['und-x-icu'] : [];

/** For each field that refers to another record, the SQL for that record’s name, by which a list can be sorted. */
const NAMES: Readonly<Record<string, string>> = {
  client: '(select n.company_name from public.clients as n where n.id = r.client_id)',
  site: '(select n.site_name from public.sites as n where n.id = r.site_id)',
};

const RECORDS: Readonly<Record<string, string>> = { reclamations: 'reclamation', factures: 'invoice' };

/**
 * Reads, as the superuser and in plain SQL, all rows of the given clients that pass the filters of a list request, in
 * the requested order.
 */
async function plain(one: ListQuery, own: readonly string[]): Promise<readonly Last[]> {
  const { client, filters } = LISTS[one.table];
  const words = one.sort.split(',');
  const columns = words.map((word) => word.replace('-', '')).map((word) => NAMES[word] ?? `r.${word}`);
  const directions = words.map((word) => (word.startsWith('-') ? 'desc' : 'asc'));
  // A list sorts statuses by their position in the life of a record, which the view reporting.statuses shows.
  const places = columns.map((column) =>
    column === 'r.status'
      ? `(select s.position from reporting.statuses as s where s.record = '${RECORDS[one.table] ?? ''}' and s.status = r.status)`
      : column,
  );
  const order = places.map((place, index) => `${place} ${directions[index] ?? ''} nulls last`);
  const values: unknown[] = [own];
  const conditions = Object.entries(one.filters).map(([name, value]) => {
    const [where] = (filters as Record<string, readonly [string, unknown]>)[name] ?? [
      TIMES[name as keyof typeof TIMES],
    ];
    const time = one.table === 'documents' ? 'uploaded_at' : 'created_at';
    return where.replace('$created', time).replace('$', `$${values.push(value)}`);
  });
  const { rows } = await admin.query<Last>(
    `select r.id, array[${columns.map((column) => `${column}::text`).join()}] as values from public.${one.table} as r
     where ${[`(${own.length === 0} or ${client} = any ($1::uuid[]))`, ...conditions].join(' and ')}
     order by ${order.join()}, r.id ${directions.at(-1) ?? ''}`,
    values,
  );
  return rows;
}
