import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { RequestCounters } from '../counters/counters.ts';
import { RequestError } from '../errors.ts';
import { ANONYMOUS_NAME } from '../identity/caller.ts';
import {
  IPV6_NETWORK_ALLOWED_ADDRESSES,
  IPV6_NETWORK_BITS,
  IPV6_SUBNET_BITS,
  RATE_LIMIT_WINDOW_MS,
} from '../limits.ts';
import { readRequestState, type RequestState } from './request-state.ts';

interface RateLimitOptions {
  readonly limiter: 'address' | 'network' | 'user';
  readonly scope: string;
  readonly limit: number;
  readonly counters: RequestCounters;
  readonly key: (state: RequestState, path: string) => string;
}

function createLimiter({ limiter, scope, limit, counters, key }: RateLimitOptions): RequestHandler {
  return rateLimit({
    windowMs: RATE_LIMIT_WINDOW_MS,
    limit,
    identifier: limiter,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => key(readRequestState(request), request.path),
    store: counters.createStore(`${scope}-${limiter}`),
    handler: (_request, _response, next) => {
      const reason = `more than ${limit} requests a minute for one ${limiter}`;
      next(new RequestError('ERROR_RATE_LIMITED', reason, { kind: limiter }));
    },
    // The checks of the package print to the console.
    validate: false,
  });
}

/** Limits requests by address. An IPv6 subnet counts as one address; each larger IPv6 network has a limit too. */
export function createIpAddressLimiters(limit: number, counters: RequestCounters, scope = 'api'): RequestHandler[] {
  const limitNetwork = createLimiter({
    limiter: 'network',
    scope,
    limit: limit * IPV6_NETWORK_ALLOWED_ADDRESSES,
    counters,
    key: ({ ipAddress }) => findIpv6Network(ipAddress) ?? '',
  });
  return [
    createLimiter({ limiter: 'address', scope, limit, counters, key: findSubnet }),
    (request, response, next) => {
      // The `skip` option of the package would also spare IPv4 callers, but creates seven promises for each request.
      if (findIpv6Network(readRequestState(request).ipAddress) === undefined) next();
      else limitNetwork(request, response, next);
    },
  ];
}

export function createUserLimiter(limit: number, counters: RequestCounters): RequestHandler {
  const key = ({ caller }: RequestState): string => caller?.subject ?? ANONYMOUS_NAME;
  return createLimiter({ limiter: 'user', scope: 'api', limit, counters, key });
}

/** Limits requests to a calendar address. The counter's key is a digest of the secret in the calendar's path. */
export function createCalendarLimiter(limit: number, counters: RequestCounters): RequestHandler {
  const key = (_state: RequestState, path: string): string => hash('sha256', decodeURIComponent(path));
  return createLimiter({ limiter: 'user', scope: 'calendar', limit, counters, key });
}

function findSubnet({ ipAddress }: RequestState): string {
  const address = ipAddress.toLowerCase();
  return address.includes(':') ? ipKeyGenerator(address, IPV6_SUBNET_BITS) : address;
}

function findIpv6Network(address: string): string | undefined {
  if (!address.includes(':') || !isIPv6(address)) return undefined;
  const network = ipKeyGenerator(address, IPV6_NETWORK_BITS);
  return network.endsWith(`/${IPV6_NETWORK_BITS}`) ? network : undefined;
}
