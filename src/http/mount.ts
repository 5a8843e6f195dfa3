import type { Express } from 'express';
import { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { requireRole, requireClients } from './access.ts';
import { runEndpoint } from './answer.ts';
import { CallerRequest, type RequestServices } from './caller-request.ts';
import { idempotencyKeyOf } from './creation.ts';
import { listAsCsv, prefersCsv, refusePageParameters } from './csv.ts';
import { createsRecord, type Endpoint, type PublicEndpoint, type EndpointReply } from './endpoint.ts';
import { sendReply } from './envelope.ts';
import { inputOf, readInput } from './input.ts';
import { stateOf } from './request-state.ts';
import { patternOf } from './routes.ts';
import { explainConstraintError, explainError } from './explain-error.ts';

export function mountPublicEndpoints(
  app: Express,
  endpoints: readonly PublicEndpoint[],
  { verifier, ...services }: RequestServices & { readonly verifier: TokenVerifier },
): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](patternOf(endpoint.path), async (request, response) => {
      const state = stateOf(request);
      state.resource = endpoint.resource;
      const authenticate = async (who: string | Caller): Promise<CallerRequest> => {
        const caller = typeof who === 'string' ? await verifier.verify(who) : who;
        return new CallerRequest(Object.assign(state, { caller }), request, services);
      };
      const input = await readInput(endpoint, request);
      const reply = await endpoint.handle(input, services.database, authenticate).catch((error: unknown) => {
        throw explainConstraintError(error, endpoint);
      });
      await sendReply(response, reply);
    });
  }
}

export function mountEndpoints(
  app: Express,
  endpoints: readonly Endpoint[],
  services: RequestServices,
): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](patternOf(endpoint.path), async (incoming, response) => {
      const state = stateOf(incoming);
      state.resource = endpoint.resource;
      const admittedState = requireRole(state, endpoint.roles);
      const isCsv = 'list' in endpoint && prefersCsv(incoming, response);
      const key = createsRecord(endpoint) ? idempotencyKeyOf(incoming) : undefined;
      const input = endpoint.body ? await readInput(endpoint, incoming) : inputOf(endpoint, incoming);
      if (isCsv) refusePageParameters(incoming.query);
      state.resourceId = endpoint.id?.(input);
      state.client = endpoint.client?.(input);
      const clients = endpoint.clients?.(input) ?? [];
      requireClients(admittedState.caller, state.client === undefined ? clients : [state.client, ...clients]);
      const request = new CallerRequest(admittedState, incoming, services, key);
      let reply: EndpointReply;
      try {
        reply = await (isCsv ? listAsCsv(endpoint, input, request) : runEndpoint(endpoint, input, request));
      } catch (error) {
        throw await explainError(error, endpoint, input, request);
      }
      return sendReply(response, reply);
    });
  }
}

/** Answers requests that match no endpoint: 405 if the path exists, otherwise 404. */
export function mountUnmatched(app: Express, endpoints: readonly (Endpoint | PublicEndpoint)[]): void {
  for (const [path, endpointsOfPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const methods = endpointsOfPath.map(({ method }) => method.toUpperCase());
    const Allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ');
    app.all(patternOf(path), ({ method }) => {
      throw new RequestError('ERROR_METHOD_NOT_ALLOWED', `no ${method} here`, { headers: { Allow } });
    });
  }
  app.use(() => {
    throw new RequestError('ERROR_NOT_FOUND', 'no such path');
  });
}
