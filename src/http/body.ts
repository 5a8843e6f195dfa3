import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { RequestError } from '../errors.ts';

/** As large as the request headers may be: the largest body is a token. */
const BODY_LIMIT = 256 * 1024;

const readBytes: RequestHandler = express.raw({ type: () => true, limit: BODY_LIMIT });

/**
 * Reads the JSON body of a request.
 * @throws RequestError ERROR_VALIDATION, ERROR_PAYLOAD_TOO_LARGE or ERROR_UNSUPPORTED_MEDIA_TYPE, and the errors of
 * body-parser, which carry a status
 */
export async function readJson(request: Request, response: Response): Promise<unknown> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length === 0 && request.headers['transfer-encoding'] === undefined) throw malformed('is required');
  requireJson(request.headers['content-type']);
  // The parser would answer only after having taken in all of it.
  if (length > BODY_LIMIT) throw new RequestError('ERROR_PAYLOAD_TOO_LARGE', `a body of ${length} bytes`);
  inviteBody(request, response);
  await new Promise<void>((resolve, reject) => {
    readBytes(request, response, (error: unknown) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('the body was not read', { cause: error }));
    });
  });
  return parse(bytesOf(request) ?? Buffer.alloc(0));
}

/** The bytes of a body that `readJson` has read; undefined for any other. */
export function bytesOf({ body }: Request): Buffer | undefined {
  return body as Buffer | undefined;
}

/** Answers `Expect: 100-continue`, after every check that needs no body. */
export function inviteBody({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
}

function requireJson(contentType: string | undefined): void {
  try {
    const { essence, params } = new MIMEType(contentType ?? '');
    const charset = params.get('charset') ?? 'utf-8';
    if (essence === 'application/json' && /^utf-?8$/i.test(charset)) return;
  } catch {
    // Not a media type at all.
  }
  throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
}

/** Bytes that are no UTF-8 are refused: decoded leniently, they would be stored as something else. */
function parse(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw malformed('must be JSON in UTF-8');
  }
  if (hasRoundedNumber(text)) throw malformed(`must have no number of more than ${DIGITS} digits`);
  return value;
}

/** The digits that any number keeps on its way through a double; of more, the last are rounded before any rule sees them. */
const DIGITS = 15;

/** Whether a JSON text that was parsed already has such a number outside of its strings. */
function hasRoundedNumber(json: string): boolean {
  for (const [token] of json.matchAll(/"(?:[^"\\]+|\\.)*"|-?[0-9][0-9.eE+-]*/g)) {
    if (token.startsWith('"')) continue;
    const [digits = ''] = token.replace('.', '').split(/e/i);
    if (digits.replace(/^-?0*/, '').replace(/0*$/, '').length > DIGITS) return true;
  }
  return false;
}

function malformed(rule: string): RequestError {
  return new RequestError('ERROR_VALIDATION', `the body ${rule}`, { details: { body: rule } });
}
