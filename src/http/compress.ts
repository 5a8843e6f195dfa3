import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import { PACKED_BYTES } from '../limits.ts';

/** Packs long answers with br or gzip, as the request accepts. */
export function compress(): RequestHandler {
  return compression({
    threshold: PACKED_BYTES,
    filter: (request, response) => !hasStrongTag(response) && compression.filter(request, response),
  });
}

/** A strong tag stands for these very bytes: for parts of a content above all, which are counted in them. */
function hasStrongTag(response: Response): boolean {
  return response.getHeader('ETag')?.toString().startsWith('"') === true;
}
