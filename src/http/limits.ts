import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { RequestError } from '../errors.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { stateOf } from './request-state.ts';
import type { RequestState } from './request-state.ts';

function perMinute(
  identifier: 'address' | 'user',
  limit: number,
  key: (state: RequestState) => string,
): RequestHandler {
  return rateLimit({
    identifier,
    limit,
    windowMs: 60_000,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Its checks print to the console what any caller can provoke with a header.
    validate: false,
    keyGenerator: (request) => key(stateOf(request)),
    handler: (_request, _response, next) => {
      next(
        new RequestError('ERROR_RATE_LIMITED', `more than ${limit} requests a minute for one ${identifier}`, {
          kind: identifier,
        }),
      );
    },
  });
}

/** Counts every request of an address; an IPv6 subnet is one address, since one caller has all of it. */
export function limitByAddress(limit: number): RequestHandler {
  return perMinute('address', limit, (state) => ipKeyGenerator(state.ipAddress));
}

/** Counts every request of a user, from whatever address; stands after authentication. */
export function limitByUser(limit: number): RequestHandler {
  return perMinute('user', limit, (state) => state.caller?.subject ?? ANONYMOUS);
}
