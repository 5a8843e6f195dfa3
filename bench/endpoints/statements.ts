/** Collects every SQL statement with which an API endpoint reads, from the endpoints’ own code. */
import type { Client } from 'pg';
import type { RequestContext } from '../../src/db/request-settings.ts';
import type { Statement } from '../../src/db/statement.ts';
import type { Endpoint, RequestInput } from '../../src/http/endpoint.ts';
import type { Caller, Role } from '../../src/identity/caller.ts';
import { authenticatedEndpoints } from '../../src/resources/index.ts';
import { readingAs } from '../caller.ts';
import { filterOf } from './by-hand.ts';

export interface Read {
  /**
   * The method and the path of the endpoint, for example `GET /api/sites`, with a note if the SQL statement counts
   * rows.
   */
  readonly name: string;
  readonly request: RequestContext;
  readonly statement: Statement;
}

/** The roles whose list of clients limits a read. An ADMIN without a list reads all clients. */
const ROLES_WITH_CLIENTS: readonly Role[] = ['ACCOUNT_MANAGER', 'ADMIN'];
const PAGE = 20;

/**
 * Returns the SQL statements of each endpoint that responds with a record or a list, for a caller with the given
 * clients.
 */
export async function reads(admin: Client, clients: readonly string[]): Promise<readonly Read[]> {
  const found: Read[] = [];
  for (const endpoint of authenticatedEndpoints) {
    const role = ROLES_WITH_CLIENTS.find((each) => endpoint.roles.includes(each));
    if (role === undefined || !('read' in endpoint || 'list' in endpoint)) continue;
    const input = await inputOf(endpoint, admin, clients);
    const request = readingAs(role, clients, endpoint.client?.(input));
    const name = `${endpoint.method.toUpperCase()} ${endpoint.path}`;
    found.push({ name, request, statement: statementOf(endpoint, input, request.caller) });
    if (!('list' in endpoint) || endpoint.query?.shape['count'] === undefined) continue;
    const counted = { ...input, query: { ...input.query, count: 'exact' } };
    found.push({
      name: `${name}, counted`,
      request,
      statement: statementOf(endpoint, counted, request.caller),
    });
  }
  return found;
}

export function listOfClient(caller: Caller, client: string, limit: number, fields: string): Statement {
  const endpoint = authenticatedEndpoints.find(({ path }) => path === '/api/clients/{clientId}/reclamations');
  if (endpoint === undefined) throw new Error('no endpoint lists the claims of a client');
  const input = { params: { clientId: client }, query: queryOf(endpoint, limit, fields), body: {} };
  return statementOf(endpoint, input, caller);
}

function statementOf(endpoint: Endpoint, input: RequestInput, caller: Caller): Statement {
  if ('read' in endpoint) return endpoint.read(input, caller);
  if ('list' in endpoint) return endpoint.list(input, caller).records;
  throw new Error(`the endpoint ${endpoint.path} reads by no SQL statement`);
}

async function inputOf(endpoint: Endpoint, admin: Client, clients: readonly string[]): Promise<RequestInput> {
  const names = Object.keys(endpoint.params?.shape ?? {});
  if (names.length > 1) throw new Error(`the path ${endpoint.path} names more than one record`);
  const params: Record<string, string> = {};
  for (const name of names) params[name] = await anId(admin, endpoint.resource, clients);
  return { params, query: queryOf(endpoint, PAGE), body: {} };
}

/**
 * Chooses a record that belongs to one of the given clients, the same record at each call, and returns the record’s id.
 */
async function anId(admin: Client, table: string, clients: readonly string[]): Promise<string> {
  const { rows } = await admin.query<{ id: string }>(
    `select t.id from public.${table} as t where ${filterOf(table, clients)} order by t.id limit 1`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`bench/population.sql has stored no record of the clients in ${table}`);
  return row.id;
}

function queryOf(endpoint: Endpoint, limit: number, fields?: string): RequestInput['query'] {
  const { query } = endpoint;
  if (query === undefined) return {};
  return query.parse({
    ...('limit' in query.shape && { limit: String(limit) }),
    ...(fields !== undefined && { fields }),
  });
}
