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
  let receivedBytes = 0;
  let pieceCount = 0;
  let bytesAtLastPaceCheck = 0;
  const bodyLimiter = new Transform({
    transform(piece: Buffer, _encoding, done) {
      receivedBytes += piece.length;
      pieceCount += 1;
      if (receivedBytes > maxBytes) done(tooLargeError(`more than ${maxBytes} bytes`));
      else if (pieceCount > UNCHECKED_BODY_CHUNKS + receivedBytes / MIN_AVERAGE_CHUNK_BYTES)
        done(validationError('body', SMALL_BODY_PIECES_RULE, `${receivedBytes} bytes in ${pieceCount} pieces`));
      else done(null, piece);
    },
  });
  const slowBodyTimer = setInterval(() => {
    if (receivedBytes - bytesAtLastPaceCheck < BODY_WINDOW_BYTES)
      bodyLimiter.destroy(
        new RequestError('ERROR_REQUEST_TIMEOUT', `${receivedBytes} bytes of a body came too slowly`),
      );
    bytesAtLastPaceCheck = receivedBytes;
  }, windowMs);
  const destroyOnHangUp = (): void => {
    if (!request.complete) bodyLimiter.destroy(hungUpError());
  };
  request.once('close', destroyOnHangUp);
  bodyLimiter.once('close', () => {
    clearInterval(slowBodyTimer);
    request.off('close', destroyOnHangUp);
  });
  return request.pipe(bodyLimiter);
}

const SMALL_BODY_PIECES_RULE = rule('small_pieces', { min: MIN_AVERAGE_CHUNK_BYTES });

export function tooLargeError(reason: string): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', reason);
}
