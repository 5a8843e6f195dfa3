import type { Database } from '../db/database.ts';
import type { RequestContext } from '../db/request-settings.ts';
import type { Documents } from '../documents/documents.ts';
import { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { Admitted } from './answer.ts';
import type { CallerRequest } from './endpoint.ts';
import { ifMatchOf } from './preconditions.ts';
import type { RequestState } from './request-state.ts';

/** What requests are answered from. */
export interface Sources {
  readonly database: Database;
  readonly documents: Documents;
}

/** The database with the rights of the caller, and nothing more of it. */
export function callerRequest(
  admitted: Pick<Admitted, 'state' | 'caller' | 'incoming' | 'inviteBody'>,
  sources: Sources,
): CallerRequest {
  const { state, caller, incoming, inviteBody } = admitted;
  const { database, documents } = sources;
  const context = contextOf(state, caller);
  const request: CallerRequest = {
    caller,
    incoming,
    inviteBody,
    documents,
    ifMatch: ifMatchOf(incoming),
    run: async (statements) => {
      const result = (await database.run(context, [statements].flat())).at(-1);
      if (result === undefined) throw new Error('a statement without a result');
      return result;
    },
    runAll: (...statements) => database.run(context, statements),
    transaction: (work) => database.transaction(context, work),
    within: (client) => callerRequest({ ...admitted, state: { ...state, client } }, sources),
    notFound: () => whyNot(request, unconfined(admitted, sources), state, database),
    assertVisible: async () => {
      if (!(await isVisible(request, state))) throw await notVisible(state, database);
    },
  };
  return request;
}

/** The same with all the clients of the caller, also where the request names one. */
export function unconfined(
  admitted: Pick<Admitted, 'state' | 'caller' | 'incoming' | 'inviteBody'>,
  sources: Sources,
): CallerRequest {
  return callerRequest({ ...admitted, state: { ...admitted.state, client: undefined } }, sources);
}

/** What one request tells the database about itself. */
function contextOf(state: RequestState, caller: Caller): RequestContext {
  const { requestId, action, ipAddress, userAgent, readOnly, client } = state;
  const context = { caller, requestId, action, ipAddress, userAgent, readOnly };
  return client === undefined ? context : { ...context, client };
}

/** Why a statement about a record found nothing: 403, 404, 412 for another version of it, or 409. */
async function whyNot(
  request: CallerRequest,
  unconfinedRequest: CallerRequest,
  state: RequestState,
  database: Database,
): Promise<RequestError> {
  if (state.readOnly) return notVisible(state, database);
  const record = `${String(state.resource)} ${String(state.resourceId)}`;
  if (!(await isVisible(request, state))) {
    // The body may name another client of the caller's than the record has: no refusal, for both are the caller's.
    return (await isVisible(unconfinedRequest, state))
      ? new RequestError('ERROR_CONFLICT', `${record} is of another client`)
      : notVisible(state, database);
  }
  return request.ifMatch === null || (await hasTag(request, state, request.ifMatch))
    ? new RequestError('ERROR_CONFLICT', `${record} is not in a state for this`)
    : new RequestError('ERROR_PRECONDITION_FAILED', `${record} has changed since`);
}

/**
 * Whether a change named the present tag of the record: it was so when the statement was run, for no tag comes back, and
 * so it was not why nothing was found. A deletion has no other reason, nor has a record whose tag is made otherwise.
 */
async function hasTag(
  request: CallerRequest,
  { resource, resourceId }: RequestState,
  tags: readonly string[],
): Promise<boolean> {
  if (resource === undefined || resourceId === undefined || request.incoming.method !== 'PUT') return false;
  const { rowCount } = await request.run({
    text: `select from public.${resource} as r where r.id = $1 and app.etag(r.updated_at) = any ($2)`,
    values: [resourceId, tags],
  });
  return rowCount > 0;
}

/** Whether the caller may read the record that is named; `resource` is a table, from our own endpoints. */
export async function isVisible(
  request: CallerRequest,
  { resource, resourceId }: RequestState,
): Promise<boolean> {
  if (resource === undefined || resourceId === undefined) return false;
  const { rowCount } = await request.run({
    text: `select from public.${resource} where id = $1`,
    values: [resourceId],
  });
  return rowCount > 0;
}

/** A record that the caller cannot see is someone else's (403), or there is none (404). */
export async function notVisible(
  { resource, resourceId }: RequestState,
  database: Database,
): Promise<RequestError> {
  if (resource === undefined || resourceId === undefined)
    return new RequestError('ERROR_NOT_FOUND', 'no such record');
  const { rows } = await database.own({
    text: 'select found, client_id from app.locate($1, $2)',
    values: [resource, resourceId],
  });
  const [found, client] = rows[0] ?? [];
  if (found !== 't') return new RequestError('ERROR_NOT_FOUND', `no ${resource} ${resourceId}`);
  const owner = client == null ? {} : { clientContext: client };
  return new RequestError('ERROR_FORBIDDEN', `${resource} ${resourceId} is not the caller's`, owner);
}
