import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ERRORS } from '../errors.ts';
import type { ErrorCode, RequestError } from '../errors.ts';
import { cut } from '../log.ts';
import type { Reply } from './endpoint.ts';
import { DETAIL_NAME_CHARACTERS } from '../limits.ts';

const RETRY_AFTER_SECONDS = '5';

/** Headers that a status owes its reader, whoever threw it. */
const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  ERROR_UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer' },
  ERROR_UNAVAILABLE: { 'Retry-After': RETRY_AFTER_SECONDS },
};

/** The error as its JSON body: the code's own sentence, never the reason. */
export function errorBody(error: RequestError, requestId: string): string {
  const { code } = error;
  const details = error.details && named(error.details, error.mostDetails);
  return JSON.stringify({
    error: { code, message: ERRORS[code].message, details, timestamp: new Date().toISOString(), requestId },
  });
}

/** A body may be wrong in thousands of fields; an answer names some, and says that there are more. */
function named(details: Readonly<Record<string, string>>, most: number): Record<string, string> {
  const fields = Object.entries(details);
  const first = fields.slice(0, most).map(([name, rule]) => [cut(name, DETAIL_NAME_CHARACTERS), rule]);
  const others = fields.length - first.length;
  return Object.fromEntries(others === 0 ? first : [...first, ['…', `and ${others} more`]]) as typeof details;
}

/** Sends JSON text as it is. */
function sendJson(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** Sends what an endpoint answers with. A stream that fails half-way breaks the connection: nothing is passed off as whole. */
export function sendReply(
  response: ServerResponse,
  { status, body, headers }: Reply,
): Promise<void> | undefined {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (typeof body === 'string') {
    sendJson(response, status, body);
    return undefined;
  }
  response.statusCode = status;
  if (body !== undefined)
    return pipeline(body, (chunks) => inFull(chunks, headers?.['Content-Length']), response);
  response.end();
  return undefined;
}

/**
 * A body that ends early breaks the connection, too, instead of letting the caller wait for the rest. The last piece
 * waits for the end of the stream: whoever has the whole body may ask again at once, and finds the answer ended.
 */
async function* inFull(chunks: AsyncIterable<Buffer>, length: string | undefined): AsyncGenerator<Buffer> {
  const expected = length === undefined ? undefined : Number(length);
  let read = 0;
  let last: Buffer | undefined;
  for await (const chunk of chunks) {
    read += chunk.length;
    if (expected !== undefined && read > expected) break;
    if (last !== undefined) yield last;
    last = chunk;
  }
  if (read !== (expected ?? read)) throw new Error(`a body of ${String(length)} bytes had ${read}`);
  if (last !== undefined) yield last;
}

/** Sends the error in its envelope. */
export function sendError(response: ServerResponse, error: RequestError, requestId: string): void {
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries({ ...HEADERS[error.code], ...error.headers })) {
    response.setHeader(name, value);
  }
  sendJson(response, error.status, errorBody(error, requestId));
}
