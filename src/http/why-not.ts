import { constraintOf, sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import type { CallerRequest } from './caller-request.ts';
import type { Endpoint, Input, Row } from './endpoint.ts';
import { errorCodeOf } from './sqlstate.ts';

/* Explains refusals by field, as the caller sees the data; docs/decisions/why-not.md */

type Details = Readonly<Record<string, string>>;

export interface Named {
  readonly table: string;
  readonly id: string;
  readonly version?: string | undefined;
}

interface NamedField extends Named {
  readonly field: string;
}

/** Thrown where a statement finds no row for the record of the request, or for `record`. */
export class NothingFound extends Error {
  override readonly name = 'NothingFound';
  readonly record: Named | undefined;

  constructor(record?: Named) {
    super();
    this.record = record;
  }
}

/** Details of a conflict that nothing else explains, such as a constraint without a message. */
export const UNEXPLAINED = { body: 'does not fit what is stored' } as const;

const FIXED = 'cannot change: it is what the record was created with';

const OUT_OF_REACH: readonly unknown[] = ['42501', '23503', 'TX409'];
const STILL_NEEDED: readonly unknown[] = ['23503', '23001', 'TX409'];

/** The error to throw instead: the reason for no row, the inaccessible record, or the broken rule by field. */
export async function whyRefused(
  error: unknown,
  endpoint: Endpoint,
  input: Input,
  request: CallerRequest,
): Promise<unknown> {
  if (error instanceof NothingFound) {
    if (error.record !== undefined)
      Object.assign(request.state, { resource: error.record.table, resourceId: error.record.id });
    return whyNothing(endpoint, input, request);
  }
  const refusal = OUT_OF_REACH.includes(sqlState(error))
    ? await whichNamed(namedIn(endpoint.references, input.body), request)
    : undefined;
  if (refusal !== undefined) return refusal;
  const details = STILL_NEEDED.includes(sqlState(error))
    ? await whatHolds(endpoint.heldBy?.(input) ?? {}, request)
    : undefined;
  if (details !== undefined) return explained(error, details);
  const existing = endpoint.existing?.(input)[constraintOf(error) ?? ''];
  return brokenRule(error, endpoint, existing && (await rowOf(existing, request))?.[0]);
}

export function brokenRule(
  error: unknown,
  { constraints }: Pick<Endpoint, 'constraints'>,
  existing?: string | null,
): unknown {
  const details = constraints?.[constraintOf(error) ?? ''];
  return details === undefined
    ? error
    : explained(error, { ...details, ...(existing != null && { existing_id: existing }) });
}

function explained(error: unknown, details: Details): unknown {
  const sqlstate = sqlState(error);
  if (sqlstate === undefined) return error;
  const reason = Object.entries(details).map(([field, rule]) => `${field} ${rule}`);
  return new RequestError(errorCodeOf(sqlstate), reason.join('; '), { details, cause: error });
}

/** @throws NothingFound, RequestError for an empty list whose path or filter names an inaccessible record */
export async function refuseEmpty(
  { references }: Endpoint,
  { query }: Input,
  request: CallerRequest,
): Promise<void> {
  if (request.state.resourceId !== undefined) await requireVisible(request);
  const named = namedIn(references, query);
  for (const [index, { isOwn, exists, client }] of (await visibilityOf(named, request)).entries())
    if (exists && !isOwn) throw foreign(named[index], client);
}

/** @throws NothingFound where the caller cannot see the record of the request */
export async function requireVisible(request: CallerRequest): Promise<void> {
  const { resource: table, resourceId: id } = request.state;
  if (table === undefined || id === undefined || (await rowOf(look({ table, id }), request)) === undefined)
    throw new NothingFound();
}

/** 404 for a missing record, 403 for another tenant's, 412 for another version, else 409. */
async function whyNothing(endpoint: Endpoint, input: Input, request: CallerRequest): Promise<RequestError> {
  const { state, ifMatch, incoming } = request;
  const { resource: table, resourceId: id } = state;
  if (table === undefined || id === undefined) return new RequestError('ERROR_NOT_FOUND', 'no such record');
  // Only a PUT has conditions besides the version, and may have named the present one.
  const version = incoming.method === 'PUT' ? endpoint.of?.version : undefined;
  const record = { table, id, version };
  // The client of the request was checked before, and the record may have another.
  const named = namedIn(endpoint.references, input.body).filter(({ id }) => id !== state.client);
  const [visibility, ...others] = await visibilityOf([record, ...named], request);
  if (visibility?.exists !== true) return new RequestError('ERROR_NOT_FOUND', `no ${table} ${id}`);
  if (!visibility.isOwn) return foreign(record, visibility.client);
  if (state.readOnly) return new RequestError('ERROR_NOT_FOUND', `${table} ${id} was not there yet`);
  const outOfReach = firstOutOfReach(named, others);
  if (outOfReach !== undefined) return outOfReach;
  // Both clients are the caller's: a conflict, no refusal.
  if (!visibility.isVisible) {
    const details = { client_id: FIXED };
    return new RequestError('ERROR_CONFLICT', `${table} ${id} is of another client`, { details });
  }
  // An ETag that is present now was present when the statement ran: no version comes back.
  const present = visibility.version === undefined ? undefined : endpoint.of?.tagOf(visibility.version);
  if (ifMatch !== null && (present === undefined || !ifMatch.includes(present)))
    return new RequestError('ERROR_PRECONDITION_FAILED', `${table} ${id} has changed since`);
  const details = await whyUntouched(endpoint, input, request);
  return new RequestError('ERROR_CONFLICT', `${table} ${id} is not in a state for this`, { details });
}

/** Explains a change of a visible record that changed no row: the fixed columns and the move. */
async function whyUntouched({ of }: Endpoint, { body }: Input, request: CallerRequest): Promise<Details> {
  const { fixed = [], hasMoves = false, table = '' } = of ?? {};
  const columns = [...fixed, ...(hasMoves ? ['status'] : [])].filter((name) => body[name] !== undefined);
  if (columns.length === 0) return UNEXPLAINED;
  const moves = columns.includes('status') ? `, app.moves_in_words('${table}', r.status)` : '';
  const present = {
    text: `select ${columns.map((name) => `r.${name}`).join(', ')}${moves} from public.${table} as r where r.id = $1`,
    values: [request.state.resourceId ?? ''],
  };
  const row = (await rowOf(present, request)) ?? [];
  const details = columns.flatMap((name, index): [string, string][] => {
    const [is, wanted] = [row[index] ?? '', String(body[name])];
    if (name === 'status')
      return [[name, `${is === wanted ? `is ${is} already` : 'was moved meanwhile'}: ${row.at(-1) ?? ''}`]];
    return is === wanted ? [] : [[name, FIXED]];
  });
  return details.length === 0 ? UNEXPLAINED : Object.fromEntries(details);
}

async function whatHolds(
  heldBy: ReturnType<NonNullable<Endpoint['heldBy']>>,
  request: CallerRequest,
): Promise<Details | undefined> {
  const holders = Object.entries(heldBy);
  if (holders.length === 0) return undefined;
  const counts = await Promise.all(holders.map(async ([, { count }]) => rowOf(count, request)));
  const details = holders.flatMap(([field, { words }], index): [string, string][] => {
    const count = counts[index]?.[0] ?? '0';
    return count === '0' ? [] : [[field, `${words}: ${count}`]];
  });
  return details.length === 0 ? { id: 'is of a record that is still in use' } : Object.fromEntries(details);
}

async function whichNamed(
  named: readonly NamedField[],
  request: CallerRequest,
): Promise<RequestError | undefined> {
  const found = await visibilityOf(named, request);
  const record = named.find((_record, index) => found[index]?.isVisible === false);
  return (
    firstOutOfReach(named, found) ??
    (record &&
      new RequestError('ERROR_CONFLICT', `${record.table} ${record.id} is of another client`, {
        details: { [record.field]: 'must be a record of the same client' },
      }))
  );
}

function firstOutOfReach(
  named: readonly NamedField[],
  found: Awaited<ReturnType<typeof visibilityOf>>,
): RequestError | undefined {
  for (const [index, record] of named.entries()) {
    const { isOwn = true, exists = true, client } = found[index] ?? {};
    if (!exists) {
      const details = { [record.field]: 'names no record' };
      return new RequestError('ERROR_NOT_FOUND', `no ${record.table} ${record.id}`, { details });
    }
    if (!isOwn) return foreign(record, client);
  }
  return undefined;
}

export function foreign(record: Named | undefined, client: string | undefined): RequestError {
  const reason = `${String(record?.table)} ${String(record?.id)} is not the caller's`;
  return new RequestError('ERROR_FORBIDDEN', reason, { kind: 'record', clientContext: client ?? null });
}

function namedIn(
  references: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, unknown>>,
): readonly NamedField[] {
  return Object.entries(references).flatMap(([field, table]) =>
    [values[field]].flat().flatMap((id) => (typeof id === 'string' ? [{ field, table, id }] : [])),
  );
}

/** Looks up with the rights of the request, with all clients of the caller, and without policies. */
export async function visibilityOf(named: readonly Named[], { database, state }: CallerRequest) {
  if (named.length === 0) return [];
  const statements = named.map(look);
  const [seen = [], own = [], located = []] = await database.runInTurn([
    { context: { ...state, readOnly: true }, statements },
    { context: { ...state, readOnly: true, client: undefined }, statements },
    { context: undefined, statements: named.map(locate) },
  ]);
  return named.map((_record, index) => {
    const [found, client] = located[index]?.rows[0] ?? [];
    return {
      isVisible: (seen[index]?.rowCount ?? 0) > 0,
      isOwn: (own[index]?.rowCount ?? 0) > 0,
      exists: found === 't',
      client: client ?? undefined,
      version: seen[index]?.rows[0]?.[0] ?? undefined,
    };
  });
}

export function look({ table, id, version = 'null' }: Named): Statement {
  return { text: `select ${version} from public.${table} as r where r.id = $1`, values: [id] };
}

function locate({ table, id }: Named): Statement {
  return { text: 'select found, client_id from app.locate($1, $2)', values: [table, id] };
}

async function rowOf(statement: Statement, { database, state }: CallerRequest): Promise<Row | undefined> {
  const [result] = await database.run({ ...state, readOnly: true }, [statement]);
  return result?.rows[0];
}
