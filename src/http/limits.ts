import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { HitCount, RequestCounters } from '../counters/counters.ts';
import { RequestError } from '../errors.ts';
import { ANONYMOUS_NAME } from '../identity/caller.ts';
import {
  IPV6_NETWORK_ALLOWED_ADDRESSES,
  CACHED_RATE_LIMIT_KEYS,
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
  readonly key: (state: RequestState, path: string) => string | undefined;
}

function createPerMinuteLimiter({ limiter, scope: of, limit, counters, key }: RateLimitOptions): RequestHandler {
  return (request, response, next) => {
    const counterKey = key(readRequestState(request), request.path);
    if (counterKey === undefined) {
      next();
      return;
    }
    const enforceRequestLimit = ({ totalHits, resetTime }: HitCount): void => {
      const windowRemainingMs = resetTime === undefined ? RATE_LIMIT_WINDOW_MS : resetTime.getTime() - Date.now();
      const secondsUntilReset = Math.max(0, Math.ceil(windowRemainingMs / 1000));
      const remainingRequestCount = Math.max(0, limit - totalHits);
      response.appendHeader('RateLimit', `"${limiter}"; r=${remainingRequestCount}; t=${secondsUntilReset}`);
      response.appendHeader(
        'RateLimit-Policy',
        `"${limiter}"; q=${limit}; w=${RATE_LIMIT_WINDOW_MS / 1000}; pk=:${hashPartitionKey(counterKey)}:`,
      );
      if (totalHits <= limit) {
        next();
        return;
      }
      response.setHeader('Retry-After', String(secondsUntilReset));
      const rateLimitReason = `more than ${limit} requests a minute for one ${limiter}`;
      next(new RequestError('ERROR_RATE_LIMITED', rateLimitReason, { kind: limiter }));
    };
    const hitCountOrPromise = counters.count(`${of}-${limiter}`, counterKey);
    if (hitCountOrPromise instanceof Promise) hitCountOrPromise.then(enforceRequestLimit).catch(next);
    else enforceRequestLimit(hitCountOrPromise);
  };
}

const partitionKeyHashCache = new LRUCache<string, string>({
  max: CACHED_RATE_LIMIT_KEYS,
  memoMethod: (key) => Buffer.from(hash('sha256', key).slice(0, 12)).toString('base64'),
});

/** Returns a partition key (draft-ietf-httpapi-ratelimit-headers-08): a hash, which reveals no address or user. */
function hashPartitionKey(key: string): string {
  return partitionKeyHashCache.memo(key);
}

/** Limits requests by address. An IPv6 subnet counts as one address; each larger IPv6 network has a limit too. */
export function createIpAddressLimiters(limit: number, counters: RequestCounters, of = 'api'): RequestHandler[] {
  return [
    createPerMinuteLimiter({
      ...{ limiter: 'address', scope: of, limit, counters },
      key: ({ ipAddress }) => {
        const lowercaseIpAddress = ipAddress.toLowerCase();
        return lowercaseIpAddress.includes(':')
          ? ipKeyGenerator(lowercaseIpAddress, IPV6_SUBNET_BITS)
          : lowercaseIpAddress;
      },
    }),
    createPerMinuteLimiter({
      ...{ limiter: 'network', scope: of, limit: limit * IPV6_NETWORK_ALLOWED_ADDRESSES, counters },
      key: ({ ipAddress }) => findIpv6Network(ipAddress),
    }),
  ];
}

export function createUserLimiter(limit: number, counters: RequestCounters): RequestHandler {
  return createPerMinuteLimiter({
    ...{ limiter: 'user', scope: 'api', limit, counters },
    key: (state) => state.caller?.subject ?? ANONYMOUS_NAME,
  });
}

/** Limits requests to a calendar address. The counter's key is a digest of the secret in the calendar's path. */
export function createCalendarLimiter(limit: number, counters: RequestCounters): RequestHandler {
  return createPerMinuteLimiter({
    ...{ limiter: 'user', scope: 'calendar', limit, counters },
    key: (_state, path) => hash('sha256', decodeURIComponent(path)),
  });
}

function findIpv6Network(address: string): string | undefined {
  if (!address.includes(':') || !isIPv6(address)) return undefined;
  const ipv6Network = ipKeyGenerator(address, IPV6_NETWORK_BITS);
  return ipv6Network.endsWith(`/${IPV6_NETWORK_BITS}`) ? ipv6Network : undefined;
}
