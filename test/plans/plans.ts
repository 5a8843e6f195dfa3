import pg from 'pg';
import { buildSettingsStatement } from '../../src/db/settings.ts';
import type { RequestContext } from '../../src/db/request-settings.ts';
import type { Statement } from '../../src/db/statement.ts';
import type { Caller } from '../../src/identity/caller.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { authenticatedEndpoints } from '../../src/resources/index.ts';
import { sortsOf } from '../../bench/lists/cases.ts';

/** A SELECT statement of the service, with the HTTP request that sends the statement. */
export interface Read {
  readonly line: string;
  readonly statement: Statement;
  readonly context: RequestContext;
}

const ID = '00000000-0000-4000-8000-000000000000';

/** The query strings that the test sends to each list. The test also requests each descending order of a list. */
const QUERIES: readonly Readonly<Record<string, string>>[] = [
  {},
  { count: 'exact' },
  { offset: '5' },
  { q: 'text' },
  { sha256: 'ab'.repeat(32) },
  { status: 'DRAFT' },
  { status: 'DRAFT,SUBMITTED', sort: 'status,-created_at' },
  { tax_year: '2024' },
  { client_id: `${ID},${ID.replace(/0$/, '1')}` },
  { created_from: '2024-06-01T00:00:00Z', created_to: '2025-01-01T00:00:00Z' },
  { client_id: ID },
  { by: 'client' },
  { by: 'assignee,submitted_month' },
  { expand: 'client' },
  { expand: 'client,site' },
  { expand: 'moves' },
  { id: `${ID},${ID.replace(/0$/, '1')}` },
];

/** The SQL statements that all GET requests for a record or a list send, for one caller. */
export function readsOf(caller: Caller): Read[] {
  return authenticatedEndpoints
    .filter(({ roles }) => roles.includes(caller.role))
    .flatMap((endpoint) => {
      const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, ID]));
      return queriesOf(endpoint).map((query) => {
        const input = { params, query: endpoint.query?.parse(query) ?? {}, body: {} };
        const asked = new URLSearchParams(query).toString().replace(/after=.*/, 'after=cursor');
        return {
          line: `${endpoint.path}${asked === '' ? '' : `?${asked}`}`,
          statement: statementOf(endpoint, input, caller),
          context: contextOf(caller, endpoint.client?.(input)),
        };
      });
    });
}

function statementOf(
  endpoint: Endpoint,
  input: Parameters<NonNullable<Endpoint['client']>>[0],
  caller: Caller,
): Statement {
  if ('list' in endpoint) return endpoint.list(input, caller).records;
  if ('read' in endpoint) return endpoint.read(input, caller);
  throw new Error(`the endpoint ${endpoint.path} reads nothing`);
}

function queriesOf(endpoint: Endpoint): Record<string, string>[] {
  if ('read' in endpoint && endpoint.method === 'get') return [{}];
  if (!('list' in endpoint)) return [];
  if (endpoint.query === undefined) return [{}];
  const words = sortsOf(endpoint.query.shape['sort']);
  const others = words.filter((word) => word.startsWith('-')).slice(1);
  const [newest = ''] = words.filter((word) => word.startsWith('-'));
  const cursor = JSON.stringify([endpoint.of.table, newest, '2025-01-01', ID]);
  const after = { after: Buffer.from(cursor).toString('base64url') };
  // A list with a fixed order has another form of cursor, so the test tries no cursor for such a list.
  return [...QUERIES, ...(words.length === 0 ? [] : [after]), ...others.map((sort) => ({ sort }))]
    .map((query) => ({ limit: '20', ...query }))
    .filter((query) => endpoint.query?.safeParse(query).success);
}

export function callerOf(role: Caller['role'], clientAccess: readonly string[]): Caller {
  return {
    ...{ subject: 'plans', userId: ID, role, clientAccess, accessDigest: '', issuedAt: 0 },
    ...{ email: undefined, name: undefined },
  };
}

function contextOf(caller: Caller, client: string | undefined): RequestContext {
  return {
    ...{ caller, requestId: 'plans', action: 'GET /', ipAddress: '127.0.0.1', userAgent: 'plans', readOnly: true },
    ...(client !== undefined && { client }),
  };
}

/**
 * The shape of an SQL statement's generic plan under the row-level security policies, in one line: each node of the
 * plan with its children, its index, and the columns by which Postgres searches the index.
 */
export async function shapeOf(login: pg.Client, { statement, context }: Read): Promise<string> {
  await login.query('begin');
  try {
    const settings = buildSettingsStatement(context, 0);
    await login.query(settings.text, [...settings.values]);
    await login.query(`set local plan_cache_mode = force_generic_plan`);
    await login.query(`prepare read as ${statement.text}`);
    const values = statement.values.map((value) => literal(value)).join(', ');
    const { rows } = await login.query<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(
      `explain (format json, costs off) execute read${values === '' ? '' : `(${values})`}`,
    );
    return shapeOfNode(rows[0]?.['QUERY PLAN'][0]?.Plan);
  } finally {
    await login.query('rollback');
    await login.query('deallocate all');
  }
}

function literal(value: Statement['values'][number]): string {
  if (value === null) return 'null';
  return pg.escapeLiteral(
    typeof value === 'object' && !(value instanceof Date) ? `{${value.join(',')}}` : String(value),
  );
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

/**
 * A table has two indexes on its id, and Postgres can choose either of them. Both thus get the same name in the printed
 * plan.
 */
const BY_ID = /^\w+_(?:pkey|id_client_id_key)$/;
/**
 * The audit log has one partition for each month, all with the same plan. The printed plan therefore has only one of
 * them.
 */
const MONTH = /^month_\d{4}_\d{2}/;

function shapeOfNode(node: Node | undefined): string {
  // The printed plan omits subplans without a table, such as a policy’s list of clients, because every plan has them.
  if (node === undefined || (isOnce(node) && node.Plans === undefined)) return '';
  const {
    'Parent Relationship': part = '',
    'Relation Name': relation,
    'Index Name': index,
    'Index Cond': searched,
  } = node;
  const words = [
    part.endsWith('Plan') ? `${part}:` : '',
    node['Node Type'],
    index === undefined ? '' : `by ${index.replace(BY_ID, 'its id').replace(MONTH, 'month')}`,
    searched === undefined ? '' : `(${searchedBy(searched)})`,
    relation === undefined || index !== undefined ? '' : `on ${relation.replace(MONTH, 'month')}`,
  ].filter((word) => word !== '');
  const inner = (node.Plans ?? []).map(shapeOfNode);
  const distinctChildren = inner.filter(
    (one, index) => one !== '' && !(one === inner[index - 1] && /\bmonth\b|\bmonth_/.test(one)),
  );
  const read = distinctChildren.length > 1 ? [`[${distinctChildren.join('; ')}]`] : distinctChildren;
  return [words.join(' '), ...read].join(' < ');
}

function isOnce({ 'Parent Relationship': part, 'Node Type': type }: Node): boolean {
  return part === 'InitPlan' && type === 'Result';
}

/**
 * Turns an index condition such as `((client_id = ANY ($1)) AND (created_at >= $2))` into `client_id any, created_at`.
 */
function searchedBy(condition: string): string {
  return [...condition.matchAll(/(ROW\([a-z_, ]+\)|\b[a-z_]+)(?:::\w+)? (?:=|<|>|<=|>=) (ANY)?/g)]
    .map(([, column = '', any]) => `${column}${any === undefined ? '' : ' any'}`)
    .toSorted()
    .join(', ');
}
