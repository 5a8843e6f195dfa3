import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import { RequestError, type ErrorCode } from '../errors.ts';
import { createCorsHandler, createCorsHeaders } from './cors.ts';
import { createServerDrain } from './drain.ts';
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
  const {
    drainMs = limit.SHUTDOWN_DRAIN_MS,
    stallMs = limit.RESPONSE_STALL_TIMEOUT_MS,
    corsOrigins = [],
    onRefused,
  } = options;
  const buildCorsHeaders = createCorsHeaders(corsOrigins);
  const applyCors = createCorsHandler(corsOrigins);
  const server = createServer({
    maxHeaderSize: limit.MAX_HEADER_BYTES,
    headersTimeout: limit.REQUEST_HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: limit.HTTP_KEEP_ALIVE_MS,
    // Turns Node's check off, because Node's response has no body; `findRequestHeadError` checks the header Host.
    requireHostHeader: false,
  });
  const serverDrain = createServerDrain(server);
  const hasOpenResponse = (socket: Duplex, hasBegun: boolean): boolean =>
    [...serverDrain.unfinished].some((response) => response.socket === socket && response.headersSent === hasBegun);

  const responsesBySocket = new WeakMap<Socket, ServerResponse>();

  server.maxConnections = limit.MAX_HTTP_CONNECTIONS;
  server.maxHeadersCount = 2 * limit.MAX_HEADER_LINES;
  // When Node refuses a connection at `maxConnections`, closes idle connections to make room for the next connection.
  server.on('drop', () => {
    onRefused?.('no_room');
    serverDrain.endIdle();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const previousResponse = responsesBySocket.get(socket);
    if (isInputDiscarded(socket)) return;
    // The service does not answer a second request that arrives before the first response is complete: the caller must
    // repeat it on another connection (RFC 9112, 9.3.2).
    if (previousResponse?.writableEnded === false) {
      closeSocketAfterResponse(previousResponse, socket);
      return;
    }
    responsesBySocket.set(socket, response);
    serverDrain.track(response);
    discardUnreadBody(request, response);
    const requestError = findRequestHeadError(request);
    if (requestError === undefined) {
      app(request, response);
      return;
    }
    onRefused?.(requestError.code);
    response.setHeaders(new Map(Object.entries(buildCorsHeaders(request.headers.origin))));
    const refuseRequest = (): void => {
      sendError(response, requestError, randomUUID());
    };
    // `applyCors` answers a preflight with success: a browser hides the error of a refused preflight from scripts.
    if (requestError.code === 'ERROR_URI_TOO_LONG') applyCors(request as Request, response as Response, refuseRequest);
    else refuseRequest();
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('connect', (request, socket) => {
    const refusalCode = refuseConnection(
      new Error('no tunnels'),
      socket,
      false,
      buildCorsHeaders(request.headers.origin),
    );
    if (refusalCode !== undefined) onRefused?.(refusalCode);
  });
  server.on('clientError', (error, socket) => {
    const unfinishedResponse = [...serverDrain.unfinished].find((response) => response.socket === socket);
    const corsHeaders = unfinishedResponse && buildCorsHeaders(unfinishedResponse.req.headers.origin);
    const refusalCode = refuseConnection(error, socket, hasOpenResponse(socket, true), corsHeaders);
    if (refusalCode !== undefined) onRefused?.(refusalCode);
  });
  // Without a timeout, a caller that stops reading would keep the response and its open file forever.
  server.setTimeout(stallMs, (socket) => {
    if (!hasOpenResponse(socket, false)) socket.destroy();
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
    close: (withinMs = drainMs): Promise<void> => serverDrain.begin(Math.min(withinMs, drainMs)),
  };
}

function findRequestHeadError(request: IncomingMessage): RequestError | undefined {
  const { headers, headersDistinct, httpVersion, url = '' } = request;
  const tooLongHeaderText = describeTooLongHeader(request);
  if (tooLongHeaderText !== undefined)
    return new RequestError('ERROR_HEADERS_TOO_LARGE', `the header ${tooLongHeaderText}`);
  if (url.length > limit.MAX_REQUEST_TARGET_CHARACTERS) return new RequestError('ERROR_URI_TOO_LONG', 'the target');
  // Accepts only `chunked`: with other transfer codings, a proxy and the service could disagree where the body ends.
  const transferCoding = headers['transfer-encoding'];
  if (transferCoding !== undefined && transferCoding.trim().toLowerCase() !== 'chunked')
    return new RequestError('ERROR_VALIDATION', `the transfer coding ${transferCoding}`);
  const { length: hosts } = headersDistinct['host'] ?? [];
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new RequestError('ERROR_VALIDATION', 'not one Host header');
  return /^(?:\/|\*$|https?:\/\/[^/?#]+\/)/i.test(url)
    ? undefined
    : new RequestError('ERROR_VALIDATION', 'the target has no path');
}
