import compression from 'compression';
import type { RequestHandler, Response } from 'express';

/** What the first flight of a connection carries, ten segments of 1,460 bytes: less arrives no sooner for being packed. */
const FIRST_FLIGHT_BYTES = 14_600;

/** Packs long answers with br or gzip, as the request accepts. */
export function compress(): RequestHandler {
  return compression({
    threshold: FIRST_FLIGHT_BYTES,
    filter: (request, response) => !hasStrongTag(response) && compression.filter(request, response),
  });
}

/** A strong tag stands for these very bytes: for parts of a content above all, which are counted in them. */
function hasStrongTag(response: Response): boolean {
  return response.getHeader('ETag')?.toString().startsWith('"') === true;
}
