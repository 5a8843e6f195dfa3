import type pg from 'pg';
import { z } from 'zod';
import type { Endpoint, RequestInput } from '../../src/http/endpoint.ts';
import { authenticatedEndpoints } from '../../src/resources/index.ts';

/** A request of a list, with the parameters that a caller would write behind `?`. */
export interface Case {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

export type ListEndpoint = Extract<Endpoint, { list: unknown }>;

/**
 * The lists with records of several clients. The lists of one client or one claim are short, so the benchmark leaves
 * them out.
 */
export const LISTS = authenticatedEndpoints.filter(
  (endpoint): endpoint is ListEndpoint => 'list' in endpoint && endpoint.params === undefined,
);

/** Filter values that no row has, so that a search must compare every row. */
const ABSENT: Readonly<Record<string, string>> = {
  q: 'nowhere',
  status: 'LITIGATION',
  tax_year: '1990',
  amount_from: '99999999.99',
  court_deadline_to: '1990-01-01',
  number: 'none',
  siret: '73282932000074',
  action: 'none',
  resource_type: 'none',
  actor: 'none',
};

/** Search words that occur in all rows, in few rows or in none, pairs of words, names, and short words. */
const SEARCHES = [
  ...['valeur', 'bacorlou', 'zanzibar', 'valeur locative', 'valeur zanzibar', 'bacorlou tontonton'],
  ...['logistique rhone', 'saint etienne 4711', 'ile de re', "l'etoile", 'site 12', 'la', 'z', 'zz', '7q'],
];

const PAGE = ['limit', 'offset', 'after', 'count', 'sort', 'fields', 'expand', 'by', 'within', 'passed', 'kind'];

/** A row from the middle of a list, which gives the values for the list’s filters. */
export type Sample = Readonly<Record<string, unknown>>;

/** Returns one request for each sort order and each filter of a list, with filter values from the caller’s rows. */
export function casesOf(list: ListEndpoint, sample: Sample, total: number): Case[] {
  const shape = list.query?.shape ?? {};
  const sorts = sortsOf(shape['sort']);
  const [newest = ''] = sorts;
  const cursor = (field: string, sort: string) =>
    Buffer.from(JSON.stringify([list.resource, sort, String(sample[field]), sample['id']])).toString('base64url');
  return [
    ...(sorts.length === 0
      ? []
      : [
          { name: 'newest 20', query: { limit: '20' } },
          { name: 'newest 1,000', query: {} },
          { name: 'the page after the list’s middle', query: { limit: '20', after: cursor(newest.slice(1), newest) } },
        ]),
    { name: 'offset', query: { limit: '20', offset: String(Math.floor(total * 0.9)) } },
    { name: 'count=exact', query: { limit: '20', count: 'exact' } },
    ...sorts.slice(1).map((sort) => ({ name: `sort=${sort}`, query: { limit: '20', sort } })),
    ...twoSorts(sorts),
    ...Object.keys(shape)
      .filter((name) => !PAGE.includes(name))
      .flatMap((name) => filtersBy(name, sample)),
    ...(list.resource === 'reclamations' ? SEARCHES.map((q) => ({ name: `q=${q}`, query: { limit: '20', q } })) : []),
    { name: 'kind', query: { limit: '20', kind: 'DECISION' } },
    { name: 'status, two of them', query: { limit: '20', status: 'DRAFT,SUBMITTED' } },
    { name: 'fields', query: { limit: '20', fields: 'id,status' } },
    { name: 'status and order', query: { limit: '20', status: 'DRAFT,SUBMITTED', sort: '-amount' } },
    ...expansionsOf(shape['expand']).flatMap((expand) => [
      { name: `20, expand=${expand}`, query: { limit: '20', expand } },
      { name: `1,000, expand=${expand}`, query: { expand } },
    ]),
    ...keysOf(shape['by']).flatMap((by) => countedBy(by, sample)),
    ...runningOut(expansionsOf(shape['expand']).at(-1)),
    { name: 'updated_from, by change', query: changedSince(sample) },
  ].filter(({ query }) => list.query?.safeParse(query).success ?? false);
}

/** Parses the query parameters of a measured request as the endpoint does. */
export function inputOf(list: ListEndpoint, query: Case['query']): RequestInput {
  return { params: {}, query: list.query?.parse(query) ?? {}, body: {} };
}

function filtersBy(name: string, sample: Sample): Case[] {
  const present = valueOf(name, sample);
  const absent = ABSENT[name];
  return [
    ...(present === undefined ? [] : [{ name, query: { limit: '20', [name]: present } }]),
    ...(name === 'q' ? [] : [{ name: `${name}=none`, query: { limit: '20', [name]: 'none' } }]),
    ...(absent === undefined ? [] : [{ name: `${name}, which no row has`, query: { limit: '20', [name]: absent } }]),
  ];
}

/** Returns a filter value that the given row has. For the filter `q` this is a part of one of the row’s texts. */
function valueOf(name: string, sample: Sample): string | undefined {
  if (name === 'q') {
    const texts = [
      'notice_reference',
      'reference',
      'address',
      'number',
      'company_name',
      'name',
      'site_name',
      'filename',
    ];
    const text = texts.map((column) => sample[column]).find((value) => typeof value === 'string');
    return typeof text === 'string' ? text.slice(1, 9) : undefined;
  }
  const column = columnOf(name.replace(/^not_/, ''), sample);
  const value = sample[column];
  if (value === undefined || value === null) return undefined;
  return column.endsWith('_at') ? rfc3339(value) : JSON.stringify(value).replaceAll('"', '');
}

/**
 * Returns the column that a filter compares, for example `created_at` for `created_from`, and `due_date` for
 * `due_from`.
 */
function columnOf(name: string, sample: Sample): string {
  const bare = name.replace(/_(?:from|to)$/, '');
  return [bare, `${bare}_at`, `${bare}_date`].find((column) => column in sample) ?? name;
}

function twoSorts(sorts: readonly string[]): Case[] {
  const pairs = ['status,-amount', 'status,claim_deadline', 'status,-amount_excl_tax', 'commune_code,-reference'];
  return pairs
    .filter((pair) => pair.split(',').every((sort) => sorts.includes(sort)))
    .map((sort) => ({ name: `sort=${sort}`, query: { limit: '20', sort } }));
}

function changedSince(sample: Sample): Record<string, string> {
  const updated = sample['updated_at'];
  return updated === undefined ? { none: '' } : { sort: 'updated_at', updated_from: rfc3339(updated) };
}

function rfc3339(value: unknown): string {
  return new Date(String(value)).toISOString();
}

function countedBy(by: string, sample: Sample): Case[] {
  return [
    { name: `by=${by}`, query: { by } },
    { name: `by=${by}, status`, query: { by, status: 'DRAFT,SUBMITTED' } },
    { name: `by=${by}, tax_year`, query: { by, tax_year: valueOf('tax_year', sample) ?? '' } },
    { name: `by=${by}, q, which no row has`, query: { by, q: ABSENT['q'] ?? '' } },
  ];
}

/**
 * Returns requests for the claims whose deadline is at most 30 or 365 days away, once with a full page and once with
 * only 20 claims.
 */
function runningOut(expand: string | undefined): Case[] {
  return [
    ...['30', '365'].flatMap((within) => [
      { name: `within=${within}`, query: { within } },
      { name: `within=${within}, 20`, query: { within, limit: '20' } },
    ]),
    { name: 'within=30, passed=365', query: { within: '30', passed: '365' } },
    ...(expand === undefined ? [] : [{ name: `within=365, expand=${expand}`, query: { within: '365', expand } }]),
  ];
}

/** Returns the fields by which a list can count its rows. */
function keysOf(schema: unknown): string[] {
  const several = schema instanceof z.ZodDefault ? schema.unwrap() : undefined;
  const words = several instanceof z.ZodPipe && several.out instanceof z.ZodArray ? several.out.element : undefined;
  return words instanceof z.ZodEnum ? [...words.options.map(String), 'client,status', 'assignee,submitted_month'] : [];
}

/** Returns the values of `expand`: each field alone, and all fields together. */
function expansionsOf(schema: unknown): string[] {
  const several = schema instanceof z.ZodOptional ? schema.unwrap() : undefined;
  const words = several instanceof z.ZodPipe ? several.out : undefined;
  const word = words instanceof z.ZodArray ? words.element : undefined;
  if (!(word instanceof z.ZodEnum)) return [];
  const all = word.options.map(String);
  return all.length > 1 ? [...all, all.join(',')] : all;
}

/** Returns the fields by which a list can sort, the default first. */
export function sortsOf(schema: unknown): string[] {
  const order = schema instanceof z.ZodDefault ? schema.unwrap() : undefined;
  const words = order instanceof z.ZodPipe && order.out instanceof z.ZodArray ? order.out.element : undefined;
  if (!(schema instanceof z.ZodDefault && words instanceof z.ZodEnum)) return [];
  const [first] = schema.parse(undefined) as [string];
  return words.options.map(String).toSorted((a, b) => Number(b === first) - Number(a === first));
}

/**
 * For each list, the SQL expression that names the client to whom a row belongs. A row that several clients share
 * counts as a row of the caller.
 */
const OWNERS: Readonly<Record<string, string>> = {
  clients: 'r.id',
  cadastres: '(select s.client_id from public.sites as s where s.id = r.site_id)',
  documents: '(select c.client_id from app.client_documents as c where c.id = r.id)',
  audit_logs: 'r.client_context',
  users: 'null',
  partners: 'null',
};

/**
 * Reads a list for the given clients, or for all clients. Returns the row in the middle of the list, and how many rows
 * the list has.
 */
export async function sampleOf(
  admin: pg.Client,
  { resource }: ListEndpoint,
  clients: readonly string[],
): Promise<{ sample: Sample; total: number }> {
  const owner = OWNERS[resource] ?? 'r.client_id';
  const time = resource === 'documents' ? 'uploaded_at' : 'created_at';
  const owned = clients.length === 0 || owner === 'null' ? '$1::uuid[] is not null' : `${owner} = any ($1)`;
  const partner = `select l.partner_id from public.client_partners as l where l.client_id = any ($1) or $1 = '{}' limit 1`;
  const rows = await admin.query<{ total: number; r: Sample }>(
    `select c.total::integer, r.r
     from (select count(*) as total from public.${resource} as r where ${owned}) as c
     cross join lateral (
         select jsonb_build_object('partner_id', (${partner})) || to_jsonb(r) as r from public.${resource} as r where ${owned} order by r.${time} desc limit 1 offset c.total / 2
     ) as r`,
    [clients],
  );
  const [row] = rows.rows;
  return { sample: row?.r ?? {}, total: row?.total ?? 0 };
}
