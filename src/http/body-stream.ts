import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { hungUpError, validationError, RequestError } from '../errors.ts';
import { UNCHECKED_BODY_CHUNKS, MIN_AVERAGE_CHUNK_BYTES, BODY_WINDOW_BYTES, BODY_WINDOW_MS } from '../limits.ts';
import { rule } from '../problems.ts';

/** Returns the body as a stream that fails if the body is too large, too slow, or comes in too many small pieces. */
export function limitBody(
  request: IncomingMessage,
  { maxBytes, windowMs = BODY_WINDOW_MS }: { readonly maxBytes: number; readonly windowMs?: number },
): Readable {
  let bytes = 0;
  let pieces = 0;
  let checkedBytes = 0;
  const limiter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      pieces += 1;
      if (bytes > maxBytes) done(tooLargeError(`more than ${maxBytes} bytes`));
      else if (pieces > UNCHECKED_BODY_CHUNKS + bytes / MIN_AVERAGE_CHUNK_BYTES)
        done(validationError('body', SMALL_PIECES_RULE, `${bytes} bytes in ${pieces} pieces`));
      else done(null, piece);
    },
  });
  const timer = setInterval(() => {
    if (bytes - checkedBytes < BODY_WINDOW_BYTES)
      limiter.destroy(new RequestError('ERROR_REQUEST_TIMEOUT', `${bytes} bytes of a body came too slowly`));
    checkedBytes = bytes;
  }, windowMs);
  const hangUp = (): void => {
    if (!request.complete) limiter.destroy(hungUpError());
  };
  request.once('close', hangUp);
  limiter.once('close', () => {
    clearInterval(timer);
    request.off('close', hangUp);
  });
  return request.pipe(limiter);
}

const SMALL_PIECES_RULE = rule('small_pieces', { min: MIN_AVERAGE_CHUNK_BYTES });

export function tooLargeError(reason: string): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', reason);
}
