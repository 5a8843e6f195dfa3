import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { RequestError } from '../errors.ts';
import { refused } from '../identity/claims.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { stateOf } from './request-state.ts';

/**
 * The token of the request's one `Authorization` header.
 * @throws RequestError ERROR_UNAUTHORIZED
 */
function bearerToken(request: IncomingMessage): string {
  // `request.headers` keeps the first of several and hides that there were others.
  const headers = request.headersDistinct['authorization'] ?? [];
  if (headers.length > 1) throw refused('more than one Authorization header');
  const [header] = headers;
  if (header === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no token', { kind: 'no_token' });
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw refused('the Authorization header is not a bearer token');
  return token;
}

/** Refuses whoever has no valid token; knows the caller from here on. */
export function authenticate(verifier: TokenVerifier): RequestHandler {
  return async (request, _response, next) => {
    const state = stateOf(request);
    state.checkBegunMs = state.timeline && performance.now();
    state.caller = await verifier.verify(bearerToken(request));
    next();
  };
}
