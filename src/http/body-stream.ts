import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';
import { BODY_PIECES, BODY_PIECE_BYTES, BODY_WINDOW_BYTES, BODY_WINDOW_MS } from '../limits.ts';

interface BodyBudget {
  readonly maxBytes: number;
  /** In each such time BODY_WINDOW_BYTES must come, or the rest of the body. */
  readonly windowMs?: number;
}

/**
 * The request's body. The stream fails once the body is too large, too slow, or in too many pieces: each piece costs as
 * much work as a thousand bytes. The request stays open for its answer.
 */
export function bodyOf(
  request: IncomingMessage,
  { maxBytes, windowMs = BODY_WINDOW_MS }: BodyBudget,
): Readable {
  let bytes = 0;
  let pieces = 0;
  let bytesBefore = 0;
  const body = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      pieces += 1;
      if (bytes > maxBytes) done(new RequestError('ERROR_PAYLOAD_TOO_LARGE', `more than ${maxBytes} bytes`));
      else if (pieces > BODY_PIECES + bytes / BODY_PIECE_BYTES) done(tooManyPieces(pieces, bytes));
      else done(null, piece);
    },
  });
  const pace = setInterval(() => {
    if (bytes - bytesBefore < BODY_WINDOW_BYTES)
      body.destroy(new RequestError('ERROR_REQUEST_TIMEOUT', `${bytes} bytes of a body came too slowly`));
    bytesBefore = bytes;
  }, windowMs);
  const hungUp = (): void => {
    if (!request.complete) body.destroy(new RequestError('ERROR_VALIDATION', 'the request was broken off'));
  };
  request.once('close', hungUp);
  body.once('close', () => {
    clearInterval(pace);
    request.off('close', hungUp);
  });
  return request.pipe(body);
}

function tooManyPieces(pieces: number, bytes: number): RequestError {
  const rule = `must not come in pieces that have less than ${BODY_PIECE_BYTES} bytes on average`;
  return new RequestError('ERROR_VALIDATION', `${bytes} bytes in ${pieces} pieces`, {
    details: { body: rule },
  });
}
