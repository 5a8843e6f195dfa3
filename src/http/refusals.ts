import { constraintOf, sqlState } from '../db/errors.ts';
import { RequestError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { CheckedRequest, Sources } from './checked-request.ts';
import { contextOf } from './checked-request.ts';
import { existingId, FIXED, whatHolds, whyUntouched } from './conflicts.ts';
import type { Details } from './conflicts.ts';
import { ifMatchOf } from './preconditions.ts';
import { errorCodeOf } from './sqlstate.ts';
import { NothingFound, standings } from './standings.ts';
import type { Named, Standing } from './standings.ts';

/**
 * What a policy or a foreign key answers with where the body names a record that is out of reach; a rule about moves may
 * have been asked before either.
 */
const OUT_OF_REACH: readonly unknown[] = ['42501', '23503', 'TX409'];

/**
 * What an error of an endpoint means to the caller: why nothing was found; which record that the body names is out of
 * reach; which rule of a field a constraint stands for. Any other error is given back as it is.
 */
export async function whyRefused(
  error: unknown,
  checked: CheckedRequest,
  sources: Sources,
): Promise<unknown> {
  if (error instanceof NothingFound) {
    const { state } = checked;
    // The audit record of a refusal names it.
    if (error.record !== undefined) ({ table: state.resource, id: state.resourceId } = error.record);
    return whyNothing(checked, sources);
  }
  const refusal = OUT_OF_REACH.includes(sqlState(error)) ? await whichNamed(checked, sources) : undefined;
  if (refusal !== undefined) return refusal;
  const details = await whatHolds(error, checked, sources);
  if (details !== undefined) return explained(error, details);
  return brokenRule(error, checked.endpoint, await existingId(error, checked, sources));
}

/** The error, or the rules of the fields where it is a constraint that the endpoint explains. */
export function brokenRule(
  error: unknown,
  { constraints }: Pick<Endpoint, 'constraints'>,
  existing?: string,
): unknown {
  const details = constraints?.[constraintOf(error) ?? ''];
  return details === undefined
    ? error
    : explained(error, { ...details, ...(existing !== undefined && { existing_id: existing }) });
}

/** What the database refused, with the words that the endpoint has for it. */
function explained(error: unknown, details: Details): unknown {
  const sqlstate = sqlState(error);
  if (sqlstate === undefined) return error;
  const reason = Object.entries(details).map(([field, rule]) => `${field} ${rule}`);
  return new RequestError(errorCodeOf(sqlstate), reason.join('; '), { details, cause: error });
}

/**
 * A list may be empty because its filter names another tenant's record: that is a refusal like any other.
 * @throws RequestError ERROR_FORBIDDEN
 */
export async function refuseForeignFilter(checked: CheckedRequest, sources: Sources): Promise<void> {
  const named = namedIn(checked.endpoint.references, checked.input.query);
  for (const [index, { isOwn, exists, client }] of (await standingsOf(named, checked, sources)).entries()) {
    if (exists && !isOwn) throw foreign(named[index], client);
  }
}

/**
 * 403 for somebody else's record, 404 for none, and the same for a record that the body names; 412 for another version
 * of it, else 409.
 */
async function whyNothing(checked: CheckedRequest, sources: Sources): Promise<RequestError> {
  const { state, endpoint, incoming } = checked;
  const { resource: table, resourceId: id } = state;
  if (table === undefined || id === undefined) return new RequestError('ERROR_NOT_FOUND', 'no such record');
  // Only a change looks at more than the version, and so may have named the present one: see `isPresent`.
  const version = incoming.method === 'PUT' ? endpoint.of?.version : undefined;
  const record = { table, id, version };
  // Not the client that the request is about: it was judged before, and the record may have another.
  const named = namedIn(endpoint.references, checked.input.body).filter(({ id }) => id !== state.client);
  const [standing, ...others] = await standingsOf([record, ...named], checked, sources);
  if (standing?.exists !== true) return new RequestError('ERROR_NOT_FOUND', `no ${table} ${id}`);
  if (!standing.isOwn) return foreign(record, standing.client);
  if (state.readOnly) return new RequestError('ERROR_NOT_FOUND', `${table} ${id} was not there yet`);
  const outOfReach = firstOutOfReach(named, others);
  if (outOfReach !== undefined) return outOfReach;
  // The body may name another client of the caller's than the record has: no refusal, for both are the caller's.
  if (!standing.isSeen) {
    const details = { client_id: FIXED };
    return new RequestError('ERROR_CONFLICT', `${table} ${id} is of another client`, { details });
  }
  const ifMatch = ifMatchOf(incoming);
  if (ifMatch !== null && !isPresent(standing.version, ifMatch, endpoint))
    return new RequestError('ERROR_PRECONDITION_FAILED', `${table} ${id} has changed since`);
  const details = await whyUntouched(checked, sources);
  return new RequestError('ERROR_CONFLICT', `${table} ${id} is not in a state for this`, { details });
}

/**
 * Whether the present version is one of those that a change named: it was so when the statement was run, for none comes
 * back, and so it was not why nothing was found.
 */
function isPresent(version: string | undefined, ifMatch: readonly string[], { of }: Endpoint): boolean {
  return version !== undefined && of !== undefined && ifMatch.includes(of.tagOf(version));
}

/** The first record that the body names and the request cannot reach. */
async function whichNamed(checked: CheckedRequest, sources: Sources): Promise<RequestError | undefined> {
  const named = namedIn(checked.endpoint.references, checked.input.body);
  const found = await standingsOf(named, checked, sources);
  const outOfReach = firstOutOfReach(named, found);
  if (outOfReach !== undefined) return outOfReach;
  const record = named.find((_record, index) => found[index]?.isSeen === false);
  if (record === undefined) return undefined;
  const details = { [record.field]: 'must be a record of the same client' };
  return new RequestError('ERROR_CONFLICT', `${record.table} ${record.id} is of another client`, { details });
}

interface NamedField extends Named {
  readonly field: string;
}

/** 404 for the first that does not exist, 403 for the first that is somebody else's, whichever comes first. */
function firstOutOfReach(named: readonly NamedField[], found: readonly Standing[]): RequestError | undefined {
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

/** The refusal of a record that is somebody else's. */
export function foreign(record: Named | undefined, client: string | undefined): RequestError {
  const reason = `${String(record?.table)} ${String(record?.id)} is not the caller's`;
  return new RequestError('ERROR_FORBIDDEN', reason, { kind: 'record', clientContext: client ?? null });
}

/** The records that the fields of a body, or the filters of a list, name. */
function namedIn(
  references: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, unknown>>,
): readonly NamedField[] {
  return Object.entries(references).flatMap(([field, table]) =>
    [values[field]].flat().flatMap((id) => (typeof id === 'string' ? [{ field, table, id }] : [])),
  );
}

async function standingsOf(
  named: readonly Named[],
  checked: CheckedRequest,
  { database }: Sources,
): Promise<readonly Standing[]> {
  return named.length === 0 ? [] : standings(named, database, contextOf(checked));
}
