import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { RequestError } from '../errors.ts';
import type { Caller, Role } from '../identity/caller.ts';
import { createBadTokenError } from '../identity/claims.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import type { LinkedCallerLookup } from './document-link.ts';
import { readRequestState, type AdmittedRequestState, type RequestState } from './request-state.ts';

/** @throws RequestError ERROR_UNAUTHORIZED */
export function bearerToken(request: IncomingMessage): string {
  // Of several Authorization headers, `request.headers` would show only the first.
  const [header, ...others] = request.headersDistinct['authorization'] ?? [];
  if (others.length > 0) throw createBadTokenError('more than one Authorization header');
  if (header === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no token', { kind: 'no_token' });
  const prefix = /^Bearer +/i.exec(header)?.[0];
  if (prefix === undefined) throw createBadTokenError('the Authorization header is not a bearer token');
  return header.slice(prefix.length);
}

export function authenticate(verifier: TokenVerifier, linkedCaller?: LinkedCallerLookup): RequestHandler {
  return (request, response, next) => {
    const state = readRequestState(request);
    state.checkBegunMs = state.timeline && performance.now();
    const proceed = (caller: Caller): void => {
      state.caller = caller;
      next();
    };
    const author = linkedCaller?.(request, response);
    if (author !== undefined) {
      author.then(proceed).catch(next);
      return;
    }
    const token = bearerToken(request);
    const verified = verifier.findVerified(token);
    if (verified === undefined) verifier.verify(token).then(proceed).catch(next);
    else proceed(verified);
  };
}

/** @throws RequestError ERROR_FORBIDDEN for a caller of another role */
export function requireRole(state: RequestState, roles: readonly Role[]): AdmittedRequestState {
  const { caller, action, timeline, checkBegunMs } = state;
  if (caller === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no caller', { kind: 'no_token' });
  if (!roles.includes(caller.role))
    throw new RequestError('ERROR_FORBIDDEN', `${caller.role} may not ${action}`, { kind: 'role' });
  if (timeline !== undefined && checkBegunMs !== undefined) timeline.checkMs = performance.now() - checkBegunMs;
  return Object.assign(state, { caller });
}

/** An ADMIN whose token lists no client has access to all clients. @throws RequestError ERROR_FORBIDDEN */
export function requireAccessToClients({ role, clientAccess }: Caller, clients: readonly string[]): void {
  if (clients.length === 0 || (role === 'ADMIN' && clientAccess.length === 0)) return;
  // For a few clients, searching an array is faster than building a set.
  const own = clients.length > 4 ? new Set(clientAccess) : undefined;
  const foreign = clients.find((client) => !(own?.has(client) ?? clientAccess.includes(client)));
  if (foreign === undefined) return;
  throw new RequestError('ERROR_FORBIDDEN', `no access to client ${foreign}`, {
    kind: 'client',
    clientContext: foreign,
  });
}
