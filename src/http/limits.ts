import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { Count, Counters } from '../counters/counters.ts';
import { RequestError } from '../errors.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { ADDRESSES_OF_A_NETWORK, KNOWN_PARTITIONS, NETWORK_BITS, SUBNET_BITS, WINDOW_MS } from '../limits.ts';
import { stateOf, type RequestState } from './request-state.ts';

interface Limit {
  readonly limiter: 'address' | 'network' | 'user';
  readonly of: string;
  readonly limit: number;
  readonly counters: Counters;
  readonly key: (state: RequestState, path: string) => string | undefined;
}

function perMinute({ limiter, of, limit, counters, key }: Limit): RequestHandler {
  return (request, response, next) => {
    const counted = key(stateOf(request), request.path);
    if (counted === undefined) {
      next();
      return;
    }
    const judge = ({ totalHits, resetTime }: Count): void => {
      const leftMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
      const seconds = Math.max(0, Math.ceil(leftMs / 1000));
      const left = Math.max(0, limit - totalHits);
      response.appendHeader('RateLimit', `"${limiter}"; r=${left}; t=${seconds}`);
      response.appendHeader(
        'RateLimit-Policy',
        `"${limiter}"; q=${limit}; w=${WINDOW_MS / 1000}; pk=:${partitionOf(counted)}:`,
      );
      if (totalHits <= limit) {
        next();
        return;
      }
      response.setHeader('Retry-After', String(seconds));
      const reason = `more than ${limit} requests a minute for one ${limiter}`;
      next(new RequestError('ERROR_RATE_LIMITED', reason, { kind: limiter }));
    };
    const count = counters.count(`${of}-${limiter}`, counted);
    if (count instanceof Promise) count.then(judge).catch(next);
    else judge(count);
  };
}

const partitions = new LRUCache<string, string>({
  max: KNOWN_PARTITIONS,
  memoMethod: (key) => Buffer.from(hash('sha256', key).slice(0, 12)).toString('base64'),
});

/** A partition key (draft-ietf-httpapi-ratelimit-headers-08), hashed so that it reveals no address or user. */
function partitionOf(key: string): string {
  return partitions.memo(key);
}

/** Counts an IPv6 subnet as one address; the network above it has a larger limit. */
export function limitByAddress(limit: number, counters: Counters, of = 'api'): RequestHandler[] {
  return [
    perMinute({
      ...{ limiter: 'address', of, limit, counters },
      key: ({ ipAddress }) => {
        const address = ipAddress.toLowerCase();
        return address.includes(':') ? ipKeyGenerator(address, SUBNET_BITS) : address;
      },
    }),
    perMinute({
      ...{ limiter: 'network', of, limit: limit * ADDRESSES_OF_A_NETWORK, counters },
      key: ({ ipAddress }) => networkOf(ipAddress),
    }),
  ];
}

export function limitByUser(limit: number, counters: Counters): RequestHandler {
  return perMinute({
    ...{ limiter: 'user', of: 'api', limit, counters },
    key: (state) => state.caller?.subject ?? ANONYMOUS,
  });
}

/** Limits requests to a calendar address. The counter's key is a digest of the secret in the address. */
export function limitByCalendar(limit: number, counters: Counters): RequestHandler {
  return perMinute({
    ...{ limiter: 'user', of: 'calendar', limit, counters },
    key: (_state, path) => hash('sha256', decodeURIComponent(path)),
  });
}

function networkOf(address: string): string | undefined {
  if (!address.includes(':') || !isIPv6(address)) return undefined;
  const network = ipKeyGenerator(address, NETWORK_BITS);
  return network.endsWith(`/${NETWORK_BITS}`) ? network : undefined;
}
