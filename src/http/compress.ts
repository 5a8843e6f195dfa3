import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import { PACKED_BYTES } from '../limits.ts';

/** Compresses long answers with br or gzip, as the request accepts. */
export function compress(): RequestHandler {
  return compression({
    threshold: PACKED_BYTES,
    filter: (request, response) => !hasStrongTag(response) && compression.filter(request, response),
  });
}

/** A strong ETag stands for exact bytes, and ranges count these bytes. */
function hasStrongTag(response: Response): boolean {
  return response.getHeader('ETag')?.toString().startsWith('"') === true;
}
