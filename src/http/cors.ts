import corsPackage from 'cors';
import type { RequestHandler } from 'express';

/** What browser code may read of an answer besides what it always may. */
const EXPOSED = [
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

/** Lets the browser code of the listed origins call; to any other origin, and its preflight, CORS does not exist. */
export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return corsPackage({
    origin: (origin, decide) => {
      decide(null, origin !== undefined && allowed.has(origin));
    },
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 600,
  });
}

/** The headers with which browser code of a listed origin may read an answer that is given before there is an app. */
export function readableFor(
  origins: readonly string[],
): (origin: string | undefined) => Readonly<Record<string, string>> {
  const allowed = new Set(origins);
  return (origin) =>
    origin === undefined || !allowed.has(origin)
      ? { Vary: 'Origin' }
      : {
          'Access-Control-Allow-Origin': origin,
          Vary: 'Origin',
          'Access-Control-Expose-Headers': EXPOSED.join(),
        };
}
