import compression from 'compression';
import type { RequestHandler } from 'express';
import { COMPRESSION_MIN_BYTES } from '../limits.ts';

export function createCompressionHandler(): RequestHandler {
  return compression({
    threshold: COMPRESSION_MIN_BYTES,
    // A response with a strong ETag or a range is not compressed, because both refer to exact bytes.
    filter: (request, response) =>
      !response.getHeader('ETag')?.toString().startsWith('"') && compression.filter(request, response),
  });
}
