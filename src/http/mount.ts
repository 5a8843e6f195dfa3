import type { Express, Request, RequestHandler } from 'express';
import { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { requireRole, requireAccessToClients } from './access.ts';
import { runEndpoint } from './answer.ts';
import { CallerRequest, type RequestServices } from './caller-request.ts';
import { readIdempotencyKey } from './creation.ts';
import { replyWithCsvList, prefersCsv, refusePageParameters } from './csv.ts';
import { acceptsIfMatch, createsRecord, type Endpoint, type PublicEndpoint, type EndpointReply } from './endpoint.ts';
import { refuseIfMatch } from './preconditions.ts';
import { checkPathAndQuery, readInput, readPath } from './input.ts';
import { readRequestState, type AdmittedRequestState, type RequestState } from './request-state.ts';
import { createPathPattern } from './routes.ts';
import { explainConstraintError, explainError, requirePresentRights } from './explain-error.ts';
import { sendWhileAllowed } from './long-reply.ts';

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
      const requestState = readRequestState(request);
      requestState.resource = endpoint.resource;
      let callerRequest: CallerRequest | undefined;
      const authenticate = async (who: string | Caller): Promise<CallerRequest> => {
        const caller = typeof who === 'string' ? await verifier.verify(who) : who;
        const admitted = Object.assign(requestState, { caller });
        const { promise: counted, resolve, reject } = Promise.withResolvers<undefined>();
        limitUser(request, response, (error?: unknown) => {
          if (error === undefined) resolve(undefined);
          else reject(error);
        });
        await counted;
        return (callerRequest = new CallerRequest(admitted, request, services));
      };
      const requestInput = await readInput(endpoint, request);
      const publicEndpointReply = await endpoint
        .handle(requestInput, services.database, authenticate)
        .catch((error: unknown) => {
          throw explainConstraintError(error, endpoint);
        });
      await sendWhileAllowed(
        response,
        publicEndpointReply,
        requestState,
        async () => callerRequest && requirePresentRights(callerRequest),
      );
    });
  }
}

export function mountEndpoints(app: Express, endpoints: readonly Endpoint[], services: RequestServices): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](createPathPattern(endpoint.path), async (incoming, response) => {
      const requestState = readRequestState(incoming);
      requestState.resource = endpoint.resource;
      const admittedRequestState = admitRole(requestState, endpoint, incoming);
      if (endpoint.method !== 'get' && !acceptsIfMatch(endpoint)) refuseIfMatch(incoming);
      const isCsv = 'list' in endpoint && prefersCsv(incoming, response);
      const key = createsRecord(endpoint) ? readIdempotencyKey(incoming) : undefined;
      const requestInput = endpoint.body ? await readInput(endpoint, incoming) : checkPathAndQuery(endpoint, incoming);
      if (isCsv) refusePageParameters(incoming.query);
      requestState.resourceId = endpoint.id?.(requestInput);
      requestState.client = endpoint.client?.(requestInput);
      const clientIdsInRequest = endpoint.clients?.(requestInput) ?? [];
      requireAccessToClients(
        admittedRequestState.caller,
        requestState.client === undefined ? clientIdsInRequest : [requestState.client, ...clientIdsInRequest],
      );
      const request = new CallerRequest(admittedRequestState, incoming, services, key);
      let endpointReply: EndpointReply;
      try {
        endpointReply = await (isCsv
          ? replyWithCsvList(endpoint, requestInput, request)
          : runEndpoint(endpoint, requestInput, request));
      } catch (error) {
        throw await explainError(error, endpoint, requestInput, request);
      }
      return sendWhileAllowed(response, endpointReply, admittedRequestState, () =>
        endpoint.rights === undefined ? requirePresentRights(request) : request.run(endpoint.rights(requestInput)),
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
  for (const [path, endpointsOfPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const allowedMethods = endpointsOfPath.map(({ method }) => method.toUpperCase());
    const Allow = [...allowedMethods, ...(allowedMethods.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ');
    app.all(createPathPattern(path), ({ method }) => {
      throw new RequestError('ERROR_METHOD_NOT_ALLOWED', `no ${method} here`, { headers: { Allow } });
    });
  }
  app.use(() => {
    throw new RequestError('ERROR_NOT_FOUND', 'no such path');
  });
}
