import type { Express, Request, RequestHandler } from 'express';
import { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { requireRole, requireAccessToClients } from './access.ts';
import { runEndpoint } from './answer.ts';
import { CallerRequest, type RequestServices } from './caller-request.ts';
import { readIdempotencyKey } from './creation.ts';
import { replyWithCsvList, prefersCsv, refuseDialect, refusePageParameters } from './csv.ts';
import { acceptsIfMatch, createsRecord, type Endpoint, type PublicEndpoint } from './endpoint.ts';
import type { EndpointReply } from './envelope.ts';
import { refuseIfMatch } from './preconditions.ts';
import { checkPathAndQuery, readInput, readPath } from './input.ts';
import { readRequestState, type AdmittedRequestState, type RequestState } from './request-state.ts';
import { createPathPattern } from './routes.ts';
import { explainConstraintError, explainError } from './explain-error.ts';
import { sendWhileAllowed } from './long-reply.ts';
import { requirePresentRights } from './visibility.ts';

export function mountPublicEndpoints(
  app: Express,
  endpoints: readonly PublicEndpoint[],
  {
    verifier,
    limitUser,
    ...services
  }: RequestServices & { readonly verifier: TokenVerifier; readonly limitUser: RequestHandler },
): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](createPathPattern(endpoint.path), async (request, response) => {
      const state = readRequestState(request);
      state.resource = endpoint.resource;
      let known: CallerRequest | undefined;
      const authenticate = async (who: string | Caller): Promise<CallerRequest> => {
        const caller = typeof who === 'string' ? await verifier.verify(who) : who;
        const admitted = Object.assign(state, { caller });
        const { promise: counted, resolve, reject } = Promise.withResolvers<undefined>();
        limitUser(request, response, (error?: unknown) => {
          if (error === undefined) resolve(undefined);
          else reject(error);
        });
        await counted;
        return (known = new CallerRequest(admitted, request, services));
      };
      const input = await readInput(endpoint, request);
      const reply = await endpoint.handle(input, services.database, authenticate).catch((error: unknown) => {
        throw explainConstraintError(error, endpoint);
      });
      await sendWhileAllowed(response, reply, state, async () => known && requirePresentRights(known));
    });
  }
}

export function mountEndpoints(app: Express, endpoints: readonly Endpoint[], services: RequestServices): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](createPathPattern(endpoint.path), async (incoming, response) => {
      const state = readRequestState(incoming);
      state.resource = endpoint.resource;
      const admitted = admitRole(state, endpoint, incoming);
      if (endpoint.method !== 'get' && !acceptsIfMatch(endpoint)) refuseIfMatch(incoming);
      const isCsv = 'list' in endpoint && prefersCsv(incoming, response);
      const key = createsRecord(endpoint) ? readIdempotencyKey(incoming) : undefined;
      const input = endpoint.body ? await readInput(endpoint, incoming) : checkPathAndQuery(endpoint, incoming);
      if (isCsv) refusePageParameters(incoming.query);
      else refuseDialect(incoming.query);
      state.resourceId = endpoint.id?.(input);
      state.client = endpoint.client?.(input);
      const clients = endpoint.clients?.(input) ?? [];
      requireAccessToClients(admitted.caller, state.client === undefined ? clients : [state.client, ...clients]);
      const request = new CallerRequest(admitted, incoming, services, key);
      let reply: EndpointReply;
      try {
        reply = await (isCsv ? replyWithCsvList(endpoint, input, request) : runEndpoint(endpoint, input, request));
      } catch (error) {
        throw await explainError(error, endpoint, input, request);
      }
      return sendWhileAllowed(response, reply, admitted, () =>
        endpoint.rights === undefined ? requirePresentRights(request) : request.run(endpoint.rights(input)),
      );
    });
  }
}

/**
 * Checks the role before path, query and body. The audit record of a refusal names the record and the client of the path.
 * @throws RequestError ERROR_FORBIDDEN for a caller of another role
 */
function admitRole(state: RequestState, { roles, path, params }: Endpoint, incoming: Request): AdmittedRequestState {
  try {
    return requireRole(state, roles);
  } catch (error) {
    const { id, clientId } = (params && readPath(params, path, incoming)) ?? {};
    state.resourceId = id ?? clientId;
    state.client = clientId;
    throw error;
  }
}

/** Answers requests that match no endpoint: 405 if the path exists, otherwise 404. */
export function mountUnmatchedHandlers(app: Express, endpoints: readonly (Endpoint | PublicEndpoint)[]): void {
  for (const [path, group] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const methods = group.map(({ method }) => method.toUpperCase());
    const Allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ');
    app.all(createPathPattern(path), ({ method }) => {
      throw new RequestError('ERROR_METHOD_NOT_ALLOWED', `no ${method} here`, { headers: { Allow } });
    });
  }
  app.use(() => {
    throw new RequestError('ERROR_NOT_FOUND', 'no such path');
  });
}
