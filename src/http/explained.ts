import { constraintOf, sqlState } from '../db/errors.ts';
import { RequestError } from '../errors.ts';
import type { Admitted } from './answer.ts';
import { callerRequest, isVisible, notVisible, unconfined } from './caller-request.ts';
import type { Sources } from './caller-request.ts';
import type { Endpoint } from './endpoint.ts';
import { errorCodeOf } from './sqlstate.ts';

/** What a policy or a foreign key answers with where the body names a record that is out of reach. */
const OUT_OF_REACH: readonly unknown[] = ['42501', '23503'];

/**
 * The error of an endpoint, or what it means where the database refused what the body says: a broken constraint tells
 * the rule of its fields; a record that the body names may be absent (404), another tenant's (403, with its client for
 * the audit record) or the caller's own but of another client than the request is about (409).
 */
export async function explained(error: unknown, admitted: Admitted, sources: Sources): Promise<unknown> {
  const sqlstate = sqlState(error);
  if (sqlstate === undefined) return error;
  const refusal = OUT_OF_REACH.includes(sqlstate) ? await firstOutOfReach(admitted, sources) : undefined;
  return refusal ?? brokenRule(error, admitted.endpoint);
}

/** The error, or the rules of the fields where it is a constraint that the endpoint explains. */
export function brokenRule(error: unknown, { constraints }: Pick<Endpoint, 'constraints'>): unknown {
  const details = constraints?.[constraintOf(error) ?? ''];
  const sqlstate = sqlState(error);
  if (details === undefined || sqlstate === undefined) return error;
  const reason = Object.entries(details).map(([field, rule]) => `${field} ${rule}`);
  return new RequestError(errorCodeOf(sqlstate), reason.join('; '), { details, cause: error });
}

/**
 * A list may be empty because its filter names another tenant's record: that is a refusal like any other.
 * @throws RequestError ERROR_FORBIDDEN
 */
export async function refuseForeignFilter(admitted: Admitted, sources: Sources): Promise<void> {
  const { endpoint, input, state } = admitted;
  for (const [field, resource] of Object.entries(endpoint.references ?? {})) {
    const resourceId = input.query[field];
    if (typeof resourceId !== 'string') continue;
    const record = { ...state, resource, resourceId };
    if (await isVisible(unconfined(admitted, sources), record)) continue;
    const refusal = await notVisible(record, sources.database);
    if (refusal.code === 'ERROR_FORBIDDEN') throw refusal;
  }
}

async function firstOutOfReach(admitted: Admitted, sources: Sources): Promise<RequestError | undefined> {
  const { endpoint, input, state } = admitted;
  const named = Object.entries(endpoint.references ?? {}).flatMap(([field, resource]) =>
    [input.body[field]].flat().map((resourceId) => ({ field, resource, resourceId })),
  );
  for (const { field, resource, resourceId } of named) {
    if (typeof resourceId !== 'string') continue;
    const record = { ...state, resource, resourceId };
    if (await isVisible(callerRequest(admitted, sources), record)) continue;
    if (await isVisible(unconfined(admitted, sources), record)) {
      const details = { [field]: 'must be a record of the same client' };
      return new RequestError('ERROR_CONFLICT', `${resource} ${resourceId} is of another client`, {
        details,
      });
    }
    const refusal = await notVisible(record, sources.database);
    if (refusal.code !== 'ERROR_NOT_FOUND') return refusal;
    return new RequestError(refusal.code, refusal.message, { details: { [field]: 'names no record' } });
  }
  return undefined;
}
