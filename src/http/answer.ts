import type { Database } from '../db/database.ts';
import type { RequestContext } from '../db/request-settings.ts';
import { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { CallerRequest, Endpoint, Input } from './endpoint.ts';
import type { RequestState } from './request-state.ts';

/**
 * Gives the JSON text that an endpoint answers with.
 * @throws RequestError, and the errors of the database
 */
export async function answer(
  endpoint: Endpoint,
  input: Input,
  state: RequestState,
  caller: Caller,
  database: Database,
): Promise<string> {
  const context = contextOf(state, caller);
  if ('handle' in endpoint) {
    // Whatever the endpoint goes on to do, a revoked token gets no further.
    await database.run(context, []);
    return endpoint.handle(input, callerRequest(database, context));
  }
  const isList = 'list' in endpoint;
  const statement = isList ? endpoint.list(input, caller) : endpoint.record(input, caller);
  const { rows } = await callerRequest(database, context).run(statement);
  if (rows.length === 0 && !(isList && endpoint.params === undefined))
    throw await notVisible(database, state);
  const records = rows.flatMap(([record]) => record ?? []);
  return isList ? `[${records.join(',')}]` : records.join();
}

/** The database with the rights of the caller. */
export function callerRequest(database: Database, context: RequestContext): CallerRequest {
  return {
    caller: context.caller,
    run: async (statement) => {
      const [result] = await database.run(context, [statement]);
      if (result === undefined) throw new Error('a statement without a result');
      return result;
    },
    transaction: (work) => database.transaction(context, work),
  };
}

/** What one request tells the database about itself. */
export function contextOf(state: RequestState, caller: Caller): RequestContext {
  const { requestId, action, ipAddress, userAgent, readOnly, client } = state;
  const context = { caller, requestId, action, ipAddress, userAgent, readOnly };
  return client === undefined ? context : { ...context, client };
}

/** Why a statement found nothing: the record is someone else's (403), or there is none (404). */
async function notVisible(database: Database, { resource, resourceId }: RequestState): Promise<RequestError> {
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
