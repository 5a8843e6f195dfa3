import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ERRORS, type ErrorCode, type RequestError } from '../errors.ts';
import { cut } from '../log.ts';
import type { Reply } from './endpoint.ts';
import { DETAIL_NAME_CHARACTERS } from '../limits.ts';

const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  ERROR_UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer' },
  ERROR_UNAVAILABLE: { 'Retry-After': '5' },
};

export function errorBody(error: RequestError, requestId: string): string {
  const { code } = error;
  const details = error.details && named(error.details, error.mostDetails);
  return JSON.stringify({
    error: { code, message: ERRORS[code].message, details, timestamp: new Date().toISOString(), requestId },
  });
}

function named(details: Readonly<Record<string, string>>, most: number): Record<string, string> {
  const fields = Object.entries(details);
  const first = fields.slice(0, most).map(([name, rule]) => [cut(name, DETAIL_NAME_CHARACTERS), rule]);
  const others = fields.length - first.length;
  return Object.fromEntries(others === 0 ? first : [...first, ['…', `and ${others} more`]]) as typeof details;
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** A stream that fails halfway breaks the connection: the caller cannot take a part for the whole. */
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

/** Fails for a body of another length than announced. Sends the last piece once this request has ended. */
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

export function sendError(response: ServerResponse, error: RequestError, requestId: string): void {
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries({ ...HEADERS[error.code], ...error.headers })) {
    response.setHeader(name, value);
  }
  sendJson(response, error.status, errorBody(error, requestId));
}
