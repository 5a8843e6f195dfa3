import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import { RequestError, type ErrorCode } from '../errors.ts';
import { createCorsHandler, createCorsHeaders } from './cors.ts';
import { createServerDrain, type ServerDrain } from './drain.ts';
import { sendError } from './envelope.ts';
import { discardUnreadBody, isInputDiscarded, closeSocketAfterResponse } from './hang-up.ts';
import * as limit from '../limits.ts';
import { refuseConnection } from './refuse-connection.ts';
import { describeTooLongHeader } from './request-headers.ts';

export type HttpServer = ReturnType<typeof createHttpServer>;

export interface ServerOptions {
  readonly drainMs?: number;
  readonly stallMs?: number;
  readonly corsOrigins?: readonly string[];
  readonly onRefused?: ((why: ErrorCode | 'no_room') => void) | undefined;
}

export function createHttpServer(app: RequestListener, options: ServerOptions = {}) {
  const { drainMs = limit.SHUTDOWN_DRAIN_MS, stallMs = limit.RESPONSE_STALL_TIMEOUT_MS } = options;
  const server = createServer({
    maxHeaderSize: limit.MAX_HEADER_BYTES,
    headersTimeout: limit.REQUEST_HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: limit.HTTP_KEEP_ALIVE_MS,
    // Turns Node's check off, because Node's response has no body; `findHeadError` checks the header Host.
    requireHostHeader: false,
  });
  server.maxConnections = limit.MAX_HTTP_CONNECTIONS;
  server.maxHeadersCount = 2 * limit.MAX_HEADER_LINES;
  const drain = createServerDrain(server);
  answerRequests(server, drain, refuseWrongHeads(app, options));
  refuseConnections(server, drain, options);
  // Without a timeout, a caller that stops reading would keep the response and its open file forever.
  server.setTimeout(stallMs, (socket) => {
    if (!hasOpenResponse(drain, socket, false)) socket.destroy();
  });

  return {
    listen: (port: number, host: string) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    /** Waits for the running requests, and closes their connections after the shorter of `withinMs` and `drainMs`. */
    close: (withinMs = drainMs): Promise<void> => drain.begin(Math.min(withinMs, drainMs)),
  };
}

function answerRequests(server: Server, drain: ServerDrain, app: RequestListener): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    const previous = responses.get(socket);
    if (isInputDiscarded(socket)) return;
    // The service does not answer a second request that arrives before the first response is complete: the caller must
    // repeat it on another connection (RFC 9112, 9.3.2).
    if (previous?.writableEnded === false) {
      closeSocketAfterResponse(previous, socket);
      return;
    }
    responses.set(socket, response);
    drain.track(response);
    discardUnreadBody(request, response);
    app(request, response);
  };
  for (const event of ['request', 'checkExpectation', 'checkContinue']) server.on(event, answer);
}

/** Answers requests with a wrong head; passes the others to `app`. */
function refuseWrongHeads(app: RequestListener, { corsOrigins = [], onRefused }: ServerOptions): RequestListener {
  const corsHeaders = createCorsHeaders(corsOrigins);
  const applyCors = createCorsHandler(corsOrigins);
  return (request, response) => {
    const error = findHeadError(request);
    if (error === undefined) {
      app(request, response);
      return;
    }
    onRefused?.(error.code);
    response.setHeaders(new Map(Object.entries(corsHeaders(request.headers.origin))));
    const refuse = (): void => {
      sendError(response, error, randomUUID());
    };
    // `applyCors` answers a preflight with success: a browser hides the error of a refused preflight from scripts.
    if (error.code === 'ERROR_URI_TOO_LONG') applyCors(request as Request, response as Response, refuse);
    else refuse();
  };
}

function refuseConnections(server: Server, drain: ServerDrain, { corsOrigins = [], onRefused }: ServerOptions): void {
  const corsHeaders = createCorsHeaders(corsOrigins);
  const refuse = (...refusal: Parameters<typeof refuseConnection>): void => {
    const code = refuseConnection(...refusal);
    if (code !== undefined) onRefused?.(code);
  };
  // When Node refuses a connection at `maxConnections`, closes idle connections to make room for the next connection.
  server.on('drop', () => {
    onRefused?.('no_room');
    drain.endIdle();
  });
  server.on('connect', (request, socket) => {
    refuse(new Error('no tunnels'), socket, false, corsHeaders(request.headers.origin));
  });
  server.on('clientError', (error, socket) => {
    const unfinished = [...drain.unfinished].find((response) => response.socket === socket);
    const headers = unfinished && corsHeaders(unfinished.req.headers.origin);
    refuse(error, socket, hasOpenResponse(drain, socket, true), headers);
  });
}

function hasOpenResponse({ unfinished }: ServerDrain, socket: Duplex, hasBegun: boolean): boolean {
  return [...unfinished].some((response) => response.socket === socket && response.headersSent === hasBegun);
}

function findHeadError(request: IncomingMessage): RequestError | undefined {
  const { headers, headersDistinct, httpVersion, url = '' } = request;
  const header = describeTooLongHeader(request);
  if (header !== undefined) return new RequestError('ERROR_HEADERS_TOO_LARGE', `the header ${header}`);
  if (url.length > limit.MAX_REQUEST_TARGET_CHARACTERS) return new RequestError('ERROR_URI_TOO_LONG', 'the target');
  // Accepts only `chunked`: with other transfer codings, a proxy and the service could disagree where the body ends.
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return new RequestError('ERROR_VALIDATION', `the transfer coding ${coding}`);
  const { length: hosts } = headersDistinct['host'] ?? [];
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new RequestError('ERROR_VALIDATION', 'not one Host header');
  return /^(?:\/|\*$|https?:\/\/[^/?#]+\/)/i.test(url)
    ? undefined
    : new RequestError('ERROR_VALIDATION', 'the target has no path');
}
