import type { IncomingMessage } from 'node:http';
import { Transform, type Readable } from 'node:stream';
import { validationError, RequestError } from '../errors.ts';
import { BODY_PIECES, BODY_PIECE_BYTES, BODY_WINDOW_BYTES, BODY_WINDOW_MS } from '../limits.ts';
import { rule } from '../problems.ts';

/** Returns the body as a stream that fails if the body is too large, too slow, or comes in too many small pieces. */
export function limitedBody(
  request: IncomingMessage,
  { maxBytes, windowMs = BODY_WINDOW_MS }: { readonly maxBytes: number; readonly windowMs?: number },
): Readable {
  let bytes = 0;
  let pieces = 0;
  let bytesBefore = 0;
  const body = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      pieces += 1;
      if (bytes > maxBytes) done(tooLargeError(`more than ${maxBytes} bytes`));
      else if (pieces > BODY_PIECES + bytes / BODY_PIECE_BYTES)
        done(validationError('body', SMALL_PIECES, `${bytes} bytes in ${pieces} pieces`));
      else done(null, piece);
    },
  });
  const paceTimer = setInterval(() => {
    if (bytes - bytesBefore < BODY_WINDOW_BYTES)
      body.destroy(new RequestError('ERROR_REQUEST_TIMEOUT', `${bytes} bytes of a body came too slowly`));
    bytesBefore = bytes;
  }, windowMs);
  const onHangUp = (): void => {
    if (!request.complete) body.destroy(new RequestError('ERROR_VALIDATION', 'the request was broken off'));
  };
  request.once('close', onHangUp);
  body.once('close', () => {
    clearInterval(paceTimer);
    request.off('close', onHangUp);
  });
  return request.pipe(body);
}

const SMALL_PIECES = rule('small_pieces', { min: BODY_PIECE_BYTES });

export function tooLargeError(reason: string): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', reason);
}
