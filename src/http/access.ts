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
  const authorizationHeaders = request.headersDistinct['authorization'] ?? [];
  if (authorizationHeaders.length > 1) throw createBadTokenError('more than one Authorization header');
  const [header] = authorizationHeaders;
  if (header === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no token', { kind: 'no_token' });
  const bearerPrefix = /^Bearer +/i.exec(header)?.[0];
  if (bearerPrefix === undefined) throw createBadTokenError('the Authorization header is not a bearer token');
  return header.slice(bearerPrefix.length);
}

export function authenticate(verifier: TokenVerifier, linkedCaller?: LinkedCallerLookup): RequestHandler {
  return (request, response, next) => {
    const requestState = readRequestState(request);
    requestState.checkBegunMs = requestState.timeline && performance.now();
    const setCallerAndProceed = (caller: Caller): void => {
      requestState.caller = caller;
      next();
    };
    const linkAuthorPromise = linkedCaller?.(request, response);
    if (linkAuthorPromise !== undefined) {
      linkAuthorPromise.then(setCallerAndProceed).catch(next);
      return;
    }
    const accessToken = bearerToken(request);
    const verifiedCaller = verifier.findVerified(accessToken);
    if (verifiedCaller === undefined) verifier.verify(accessToken).then(setCallerAndProceed).catch(next);
    else setCallerAndProceed(verifiedCaller);
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
export function requireAccessToClients(caller: Caller, clients: readonly string[]): void {
  if (clients.length === 0 || (caller.role === 'ADMIN' && caller.clientAccess.length === 0)) return;
  // For a few clients, searching an array is faster than building a set.
  const accessibleClients = clients.length > 4 ? new Set(caller.clientAccess) : undefined;
  const inaccessibleClient = clients.find(
    (client) => !(accessibleClients?.has(client) ?? caller.clientAccess.includes(client)),
  );
  if (inaccessibleClient === undefined) return;
  throw new RequestError('ERROR_FORBIDDEN', `no access to client ${inaccessibleClient}`, {
    kind: 'client',
    clientContext: inaccessibleClient,
  });
}
