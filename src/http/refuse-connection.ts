import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError, type ErrorCode, type Problem } from '../errors.ts';
import { rule } from '../problems.ts';
import { errorBody } from './envelope.ts';
import { closeSocketGracefully } from './hang-up.ts';

const CODES_BY_PARSER_ERROR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'ERROR_HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'ERROR_PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'ERROR_REQUEST_TIMEOUT',
};

const PROBLEMS_BY_PARSER_ERROR: Readonly<Record<string, readonly Problem[]>> = {
  HPE_INVALID_URL: [{ field: 'path', rule: rule('not_ascii') }],
};

const refusedSockets = new WeakSet<Duplex>();

/** Answers an unparsable request and returns the error code. If a response has begun, only closes the connection. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswered: boolean,
  headers: Readonly<Record<string, string>> = {},
): ErrorCode | undefined {
  if (refusedSockets.has(socket)) return undefined;
  if (isAnswered || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return undefined;
  }
  refusedSockets.add(socket);
  const code = CODES_BY_PARSER_ERROR[error.code ?? ''] ?? 'ERROR_VALIDATION';
  socket.write(formatResponse(code, error, headers));
  closeSocketGracefully(socket);
  return code;
}

function formatResponse(
  errorCode: ErrorCode,
  { code, message }: NodeJS.ErrnoException,
  headers: Readonly<Record<string, string>>,
): string {
  const problems = PROBLEMS_BY_PARSER_ERROR[code ?? ''];
  const error = new RequestError(errorCode, message, problems && { problems });
  const requestId = randomUUID();
  const body = errorBody(error, requestId);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Content-Language: en',
    `X-Request-Id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
