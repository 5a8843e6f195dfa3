import compression from 'compression';
import type { RequestHandler } from 'express';
import { PACKED_BYTES } from '../limits.ts';

export function compress(): RequestHandler {
  return compression({
    threshold: PACKED_BYTES,
    // A strong ETag stands for exact bytes, and ranges count these bytes: such an answer is not compressed.
    filter: (request, response) =>
      !response.getHeader('ETag')?.toString().startsWith('"') && compression.filter(request, response),
  });
}
