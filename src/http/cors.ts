import corsPackage from 'cors';
import type { RequestHandler } from 'express';

/** Lets the browser code of the listed origins call; to any other origin, and its preflight, CORS does not exist. */
export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return corsPackage({
    origin: (origin, decide) => {
      decide(null, origin !== undefined && allowed.has(origin));
    },
    exposedHeaders: [
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
    ],
    maxAge: 600,
  });
}
