import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Negotiator from 'negotiator';
import { ERRORS_BY_CODE, problemFieldName, type ErrorCode, type RequestError } from '../errors.ts';
import { truncate } from '../log.ts';
import { LANGUAGES, readCodeAndParams, rule, formatProblemText, type Language } from '../problems.ts';
import { ERROR_FIELD_CHARACTERS, MAX_LISTED_PROBLEMS } from '../limits.ts';

export interface EndpointReply {
  readonly status: 200 | 201 | 204 | 206 | 304 | 307;
  readonly body?: string | Readable;
  /** A response body that is sent piece by piece, for event streams. */
  readonly live?: AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

const ERROR_HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  ERROR_UNAUTHORIZED: { 'WWW-Authenticate': 'Bearer' },
  ERROR_UNAVAILABLE: { 'Retry-After': '5' },
};

export function errorBody(error: RequestError, requestId: string, language: Language = 'en'): string {
  const { code } = error;
  const message = ERRORS_BY_CODE[code][language];
  const timestamp = new Date().toISOString();
  return JSON.stringify({ error: { code, message, ...formatProblems(error, language), timestamp, requestId } });
}

/**
 * Formats problems for the error body, where `details` maps field to message and `problems` also has code and params.
 */
function formatProblems({ problems }: RequestError, language: Language): object {
  if (problems === undefined) return {};
  const distinct = [...new Map(problems.map((problem) => [problemFieldName(problem), problem]))];
  const most = problems.some(({ position }) => position !== undefined) ? MAX_LISTED_PROBLEMS + 1 : 20;
  const shown = distinct.slice(0, most);
  const count = distinct.length - most;
  if (count > 0) shown.push(['…', { field: '…', rule: rule('more', { count }) }]);
  const formatted = shown.map(([, { field, rule: broken, position }]) => ({
    ...position,
    field: truncate(field || 'body', ERROR_FIELD_CHARACTERS),
    ...readCodeAndParams(broken),
    message: formatProblemText(broken, language),
  }));
  const messages = shown.map(
    ([name], index) => [truncate(name, ERROR_FIELD_CHARACTERS), formatted[index]?.message] as const,
  );
  const existing = formatted.find(({ params }) => 'existing_id' in params)?.params.existing_id;
  const details = { ...Object.fromEntries(messages), ...(existing !== undefined && { existing_id: existing }) };
  return { details, problems: formatted };
}

function chooseErrorLanguage(request: IncomingMessage): Language {
  if (request.headers['accept-language'] === undefined) return 'en';
  return new Negotiator(request).language([...LANGUAGES]) === 'fr' ? 'fr' : 'en';
}

const JSON_TYPE = 'application/json; charset=utf-8';

function sendText(response: ServerResponse, status: number, body: string, type = JSON_TYPE): void {
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

export function sendReply(response: ServerResponse, reply: EndpointReply): Promise<void> | undefined {
  const { status, body, headers, live } = reply;
  if (typeof body === 'object') return sendStream(response, reply, body);
  setHeaders(response, headers);
  if (body !== undefined) {
    sendText(response, status, body, headers?.['Content-Type']);
    return undefined;
  }
  response.statusCode = status;
  if (live !== undefined) return sendEventStream(response, live);
  response.end();
  return undefined;
}

function setHeaders(response: ServerResponse, headers: EndpointReply['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Begins the response only with the first bytes of the body, so that an error before them gets an error response. */
async function sendStream(response: ServerResponse, { status, headers }: EndpointReply, body: Readable): Promise<void> {
  response.once('close', () => body.destroy());
  try {
    const chunks = withLengthCheck(body, headers?.['Content-Length']);
    const first = await chunks.next();
    setHeaders(response, headers);
    response.statusCode = status;
    await pipeline(resetOnFailure(first, chunks, response), response);
  } finally {
    body.destroy();
  }
}

/**
 * If the body fails, resets the connection: a reader of HTTP/1.0 would take an ordinary end of the connection for the
 * end of the body.
 */
async function* resetOnFailure(
  first: IteratorResult<Buffer>,
  chunks: AsyncGenerator<Buffer>,
  { socket }: ServerResponse,
): AsyncGenerator<Buffer> {
  try {
    if (first.done !== true) yield first.value;
    yield* chunks;
  } catch (error) {
    socket?.resetAndDestroy();
    throw error;
  }
}

/** Sends an event stream piece by piece, each after the caller has taken the previous piece. */
async function sendEventStream(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await waitUntilDrained(response);
  }
  response.end();
}

function waitUntilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Fails before it returns the last chunk if the body's length differs from Content-Length. */
async function* withLengthCheck(chunks: AsyncIterable<Buffer>, length: string | undefined): AsyncGenerator<Buffer> {
  const expected = length === undefined ? undefined : Number(length);
  let bytes = 0;
  let last: Buffer | undefined;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (expected !== undefined && bytes > expected) break;
    if (last !== undefined) yield last;
    last = chunk;
  }
  if (bytes !== (expected ?? bytes)) throw new Error(`a body of ${String(length)} bytes had ${bytes}`);
  if (last !== undefined) yield last;
}

export function sendError(response: ServerResponse, error: RequestError, requestId: string): void {
  const language = chooseErrorLanguage(response.req);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Content-Language', language);
  response.setHeader('Vary', [response.getHeader('Vary') ?? [], 'Accept-Language'].flat().join(', '));
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries({ ...ERROR_HEADERS[error.code], ...error.headers })) {
    response.setHeader(name, value);
  }
  sendText(response, error.status, errorBody(error, requestId, language));
}
