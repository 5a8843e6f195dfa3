import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from '../errors.ts';
import { createDrain } from './drain.ts';
import { sendError } from './envelope.ts';
import { refuseConnection } from './refuse-connection.ts';

/** A token of 2,000 clients is about 104 kB; twice that, and room for cookies of the same site. */
const MAX_HEADER_SIZE = 256 * 1024;

export interface HttpServer {
  /** Resolves with the port, once it listens. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Takes no new connection, finishes what was taken, ends every connection; resolves when none is left. What is not
   * finished within that is broken off.
   */
  close(withinMs?: number): Promise<void>;
}

export interface ServerLimits {
  /** How long a close waits for what was taken: the process has 10 s in all. */
  readonly drainMs?: number;
  /** How long a caller may take nothing of an answer that is being sent. */
  readonly stallMs?: number;
}

/** The server around an app; it answers itself for what never becomes a request of the app's. */
export function createHttpServer(app: RequestListener, limits: ServerLimits = {}): HttpServer {
  const { drainMs = 7_000, stallMs = 60_000 } = limits;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_SIZE,
    headersTimeout: 15_000,
    requestTimeout: 120_000,
    connectionsCheckingInterval: 5_000,
    // Longer than a load balancer's usual 60 s: it must be the one that ends an idle connection.
    keepAliveTimeout: 65_000,
    // Node's own refusal has no body.
    requireHostHeader: false,
  });
  const drain = createDrain(server);
  const owes = (socket: Duplex, hasBegun: boolean): boolean =>
    [...drain.unfinished].some((response) => response.socket === socket && response.headersSent === hasBegun);

  server.on('request', (request, response) => {
    const defect = defectOf(request);
    if (defect === undefined) app(request, response);
    else sendError(response, new RequestError('ERROR_VALIDATION', defect), randomUUID());
  });
  // An expectation that nobody knows may be ignored; Node's own refusal has no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  // A body is asked for only once it will be read: see readJson and readForm.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('connect', (_request, socket) => {
    refuseConnection(new Error('no tunnels'), socket, false);
  });
  server.on('clientError', (error, socket) => {
    refuseConnection(error, socket, owes(socket, true));
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

/** What Node's parser lets pass and an app cannot route. */
function defectOf({ headersDistinct, httpVersion, url = '' }: IncomingMessage): string | undefined {
  const { length: hosts } = headersDistinct['host'] ?? [];
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'not one Host header';
  return /^(?:\/|\*$|https?:\/\/[^/?#]+\/)/i.test(url) ? undefined : 'the target has no path';
}
