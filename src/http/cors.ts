import corsPackage from 'cors';
import type { RequestHandler } from 'express';

/** Response headers that scripts of other origins may read (Access-Control-Expose-Headers). */
const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Total-Count',
];

export function createCorsHandler(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return corsPackage({
    origin: (origin, decide) => {
      decide(null, origin !== undefined && allowed.has(origin));
    },
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
}

export function createCorsHeaders(
  origins: readonly string[],
): (origin: string | undefined) => Readonly<Record<string, string>> {
  const allowed = new Set(origins);
  return (origin) =>
    origin === undefined || !allowed.has(origin)
      ? { Vary: 'Origin' }
      : {
          'Access-Control-Allow-Origin': origin,
          Vary: 'Origin',
          'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(),
        };
}
