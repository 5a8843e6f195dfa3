import type { Express, Request, RequestHandler, Response } from 'express';
import { RequestError } from '../errors.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { requireClients, requireRole } from './access.ts';
import { answer } from './answer.ts';
import { bytesOf, inviteBody } from './body.ts';
import { callerRequest } from './checked-request.ts';
import type { Sources } from './checked-request.ts';
import { prefersCsv, refusePages } from './csv.ts';
import { creates } from './endpoint.ts';
import type { Endpoint, PublicEndpoint } from './endpoint.ts';
import { sendReply } from './envelope.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { readInput } from './input.ts';
import { brokenRule, whyRefused } from './refusals.ts';
import { stateOf } from './request-state.ts';
import type { RequestState } from './request-state.ts';

/** Adds endpoints that ask for no token. */
export function mountPublic(
  app: Express,
  endpoints: readonly PublicEndpoint[],
  { verifier, ...sources }: Sources & { readonly verifier: TokenVerifier },
): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](patternOf(endpoint.path), async (request, response) => {
      const state = stateOf(request);
      state.resource = endpoint.resource;
      const input = await readInput(endpoint, request, response);
      const reply = endpoint.handle(input, {
        database: sources.database,
        authenticate: async (token) => {
          state.caller = await verifier.verify(token);
          const exchange = { incoming: request, inviteBody: inviting(request, response) };
          return callerRequest({ state, caller: state.caller, ...exchange }, sources);
        },
      });
      await sendReply(
        response,
        await reply.catch((error: unknown) => {
          throw brokenRule(error, endpoint);
        }),
      );
    });
  }
}

/** Adds endpoints that take a caller; stands after authentication. */
export function mount(app: Express, endpoints: readonly Endpoint[], sources: Sources): void {
  for (const endpoint of endpoints) {
    app[endpoint.method](patternOf(endpoint.path), async (request, response) => {
      const state = stateOf(request);
      state.resource = endpoint.resource;
      const caller = requireRole(state, endpoint.roles);
      endCheck(state);
      const isCsv = 'list' in endpoint && prefersCsv(request, response);
      const key = creates(endpoint) ? idempotencyKeyOf(request) : undefined;
      const input = await readInput(endpoint, request, response);
      if (isCsv) refusePages(request.query);
      state.resourceId = endpoint.id?.(input);
      state.client = endpoint.client?.(input);
      const clients = endpoint.clients?.(input) ?? [];
      requireClients(caller, state.client === undefined ? clients : [state.client, ...clients]);
      const exchange = { incoming: request, inviteBody: inviting(request, response) };
      const repeatable = key === undefined ? undefined : { key, content: bytesOf(request) };
      const checked = { endpoint, input, state, caller, repeatable, isCsv, ...exchange };
      const reply = await answer(checked, sources).catch(async (error: unknown) => {
        throw await whyRefused(error, checked, sources);
      });
      await sendReply(response, reply);
    });
  }
}

/** Answers 405 on the endpoints' paths and 404 elsewhere; stands after all endpoints. */
export function mountRefusals(app: Express, endpoints: readonly (Endpoint | PublicEndpoint)[]): void {
  for (const [path, onPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    app.all(patternOf(path), refuseMethod(onPath.map((endpoint) => endpoint.method.toUpperCase())));
  }
  app.use(() => {
    throw new RequestError('ERROR_NOT_FOUND', 'no such path');
  });
}

function refuseMethod(methods: readonly string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return (request) => {
    throw new RequestError('ERROR_METHOD_NOT_ALLOWED', `no ${request.method} here`, {
      headers: { Allow: allowed.toSorted().join(', ') },
    });
  };
}

/**
 * What a path of ours matches. A pattern without groups, because Express would decode them before the caller's role is
 * looked at, and a malformed escape would come before the refusal: `readInput` decodes them in its turn.
 */
function patternOf(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function endCheck({ timeline, checkBegunMs }: RequestState): void {
  if (timeline !== undefined && checkBegunMs !== undefined)
    timeline.checkMs = performance.now() - checkBegunMs;
}

function inviting(request: Request, response: Response): () => void {
  return () => {
    inviteBody(request, response);
  };
}
