import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import { SHUTDOWN_IDLE_CONNECTION_MS } from '../limits.ts';

export type ServerDrain = ReturnType<typeof createServerDrain>;

export function createServerDrain(server: Server) {
  const unfinished = new Set<ServerResponse>();
  /** Connections that have not yet sent a request; Node does not count them as idle connections. */
  const unused = new Set<Socket>();
  let isDraining = false;

  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });

  function endIdle(): void {
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  }

  return {
    unfinished,
    endIdle,
    track: (response: ServerResponse): void => {
      unused.delete(response.req.socket);
      unfinished.add(response);
      response.once('close', () => unfinished.delete(response));
      if (isDraining) response.setHeader('Connection', 'close');
    },
    /** Stops accepting connections; resolves when every connection has ended, after `boundMs` at the latest. */
    begin: (boundMs: number): Promise<void> => {
      isDraining = true;
      for (const response of unfinished) if (!response.headersSent) response.setHeader('Connection', 'close');
      return new Promise((resolve) => {
        const idleTimer = setInterval(endIdle, SHUTDOWN_IDLE_CONNECTION_MS);
        const timer = setTimeout(() => {
          server.closeAllConnections();
        }, boundMs);
        // Node's own `close` ends idle connections at once and loses requests that are on their way. The `close` of
        // net.Server lets an idle connection send one more request, whose response has `Connection: close`.
        TcpServer.prototype.close.call(server, () => {
          clearInterval(idleTimer);
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
