import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import { SHUTDOWN_IDLE_CONNECTION_MS } from '../limits.ts';

export function createServerDrain(server: Server) {
  const unfinishedResponses = new Set<ServerResponse>();
  /** Connections that have not yet sent a request; Node does not count them as idle connections. */
  const requestlessSockets = new Set<Socket>();
  let isDraining = false;

  server.on('connection', (socket: Socket) => {
    requestlessSockets.add(socket);
    socket.once('close', () => requestlessSockets.delete(socket));
  });

  function endIdleConnections(): void {
    server.closeIdleConnections();
    for (const socket of requestlessSockets) socket.destroy();
  }

  return {
    unfinished: unfinishedResponses,
    endIdle: endIdleConnections,
    track: (response: ServerResponse): void => {
      requestlessSockets.delete(response.req.socket);
      unfinishedResponses.add(response);
      response.once('close', () => unfinishedResponses.delete(response));
      if (isDraining) response.setHeader('Connection', 'close');
    },
    /** Stops accepting connections; resolves when every connection has ended, after `boundMs` at the latest. */
    begin: (boundMs: number): Promise<void> => {
      isDraining = true;
      for (const response of unfinishedResponses) if (!response.headersSent) response.setHeader('Connection', 'close');
      return new Promise((resolve) => {
        const idleTimer = setInterval(endIdleConnections, SHUTDOWN_IDLE_CONNECTION_MS);
        const forcedEndTimer = setTimeout(() => {
          server.closeAllConnections();
        }, boundMs);
        // Node's own `close` ends idle connections at once and loses requests that are on their way. The `close` of
        // net.Server lets an idle connection send one more request, whose response has `Connection: close`.
        TcpServer.prototype.close.call(server, () => {
          clearInterval(idleTimer);
          clearTimeout(forcedEndTimer);
          resolve();
        });
      });
    },
  };
}
