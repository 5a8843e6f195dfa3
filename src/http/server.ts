import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Request, Response } from 'express';
import { RequestError } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { cors, readableFor } from './cors.ts';
import { createDrain } from './drain.ts';
import { sendError } from './envelope.ts';
import { endUnread, isUnheard, makeLast } from './hang-up.ts';
import * as limit from '../limits.ts';
import { refuseConnection } from './refuse-connection.ts';
import { headerTooLong, isTargetTooLong, LINES_THAT_NODE_KEEPS } from './request-headers.ts';

export interface HttpServer {
  /** Resolves with the port, once it listens. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Takes no new connection, finishes what was taken, ends every connection; resolves when none is left. What is not
   * finished within that is broken off.
   */
  close(withinMs?: number): Promise<void>;
}

export interface ServerOptions {
  /** How long a close waits for what was taken: the process has 10 s in all. */
  readonly drainMs?: number;
  /** How long a caller may take nothing of an answer that is being sent. */
  readonly stallMs?: number;
  /** Whose browser code may read what the server answers by itself, as it may what the app answers. */
  readonly corsOrigins?: readonly string[];
  /** Told of what never becomes a request of the app's: why it was refused, or that there was no room for it. */
  readonly onRefused?: ((why: ErrorCode | 'no_room') => void) | undefined;
}

/** The server around an app; it answers itself for what never becomes a request of the app's. */
export function createHttpServer(app: RequestListener, options: ServerOptions = {}): HttpServer {
  const { drainMs = limit.DRAIN_MS, stallMs = limit.ANSWER_STALL_MS, corsOrigins = [], onRefused } = options;
  const readable = readableFor(corsOrigins);
  const allow = cors(corsOrigins);
  const server = createServer({
    maxHeaderSize: limit.HEADER_BYTES,
    headersTimeout: limit.HEADERS_MS,
    // How long a body may take depends on how much of it comes: see bodyOf.
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: limit.KEEP_ALIVE_MS,
    // Node's own refusal has no body.
    requireHostHeader: false,
  });
  const drain = createDrain(server);
  const owes = (socket: Duplex, hasBegun: boolean): boolean =>
    [...drain.unfinished].some((response) => response.socket === socket && response.headersSent === hasBegun);

  const underWay = new WeakMap<Socket, ServerResponse>();

  server.maxConnections = limit.CONNECTIONS;
  server.maxHeadersCount = LINES_THAT_NODE_KEEPS;
  // Whoever comes next finds room, unless as many are at work.
  server.on('drop', () => {
    onRefused?.('no_room');
    drain.endIdle();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const before = underWay.get(socket);
    if (isUnheard(socket)) return;
    // A second request before the first is answered: it has to be repeated on a connection of its own (RFC 9112, 9.3.2).
    if (before?.writableEnded === false) {
      makeLast(before, socket);
      return;
    }
    underWay.set(socket, response);
    drain.take(response);
    endUnread(request, response);
    const defect = defectOf(request);
    if (defect === undefined) {
      app(request, response);
      return;
    }
    onRefused?.(defect.code);
    response.setHeaders(new Map(Object.entries(readable(request.headers.origin))));
    const refuse = (): void => {
      sendError(response, defect, randomUUID());
    };
    // A browser asks first whether it may send a target, and tells its code nothing of the answer to that.
    if (defect.code === 'ERROR_URI_TOO_LONG') allow(request as Request, response as Response, refuse);
    else refuse();
  });
  // An expectation that nobody knows may be ignored; Node's own refusal has no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  // A body is asked for only once it will be read: see readJson and readForm.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('connect', (request, socket) => {
    const refused = refuseConnection(
      new Error('no tunnels'),
      socket,
      false,
      readable(request.headers.origin),
    );
    if (refused !== undefined) onRefused?.(refused);
  });
  server.on('clientError', (error, socket) => {
    const owed = [...drain.unfinished].find((response) => response.socket === socket);
    const headers = owed && readable(owed.req.headers.origin);
    const refused = refuseConnection(error, socket, owes(socket, true), headers);
    if (refused !== undefined) onRefused?.(refused);
  });
  // A caller who stops reading holds an answer in memory, or a file or a socket of the store, for as long as it likes.
  server.setTimeout(stallMs, (socket) => {
    if (!owes(socket, false)) socket.destroy();
  });

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: (withinMs = drainMs) => drain.begin(Math.min(withinMs, drainMs)),
  };
}

/** What Node's parser lets pass and an app cannot route, or should not have to read. */
function defectOf(request: IncomingMessage): RequestError | undefined {
  const { headers, headersDistinct, httpVersion, url = '' } = request;
  const long = headerTooLong(request);
  if (long !== undefined) return new RequestError('ERROR_HEADERS_TOO_LARGE', `the header ${long}`);
  if (isTargetTooLong(request)) return new RequestError('ERROR_URI_TOO_LONG', 'the target');
  // Any other coding would be taken for the body itself, which somebody in front may have read decoded.
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
