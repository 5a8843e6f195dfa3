import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError, type ErrorCode } from '../errors.ts';
import { errorBody } from './envelope.ts';
import { endSoon } from './hang-up.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'ERROR_HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'ERROR_PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'ERROR_REQUEST_TIMEOUT',
};

const RULES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HPE_INVALID_URL: { path: 'must be ASCII: UTF-8 in a path or query is percent-encoded' },
};

const refused = new WeakSet<Duplex>();

/** With `answered` a response is on its way already, and nothing is sent. Returns the code of the answer. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  answered: boolean,
  headers: Readonly<Record<string, string>> = {},
): ErrorCode | undefined {
  if (refused.has(socket)) return undefined;
  if (answered || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  refused.add(socket);
  const code = CODES[error.code ?? ''] ?? 'ERROR_VALIDATION';
  socket.write(answerTo(code, error, headers));
  endSoon(socket);
  return code;
}

function answerTo(
  as: ErrorCode,
  { code, message }: NodeJS.ErrnoException,
  headers: Readonly<Record<string, string>>,
): string {
  const details = RULES[code ?? ''];
  const refusal = new RequestError(as, message, details && { details });
  const requestId = randomUUID();
  const body = errorBody(refusal, requestId);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
