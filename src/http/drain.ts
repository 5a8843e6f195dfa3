import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import { IDLE_GRACE_MS } from '../limits.ts';

export function createDrain(server: Server) {
  const unfinished = new Set<ServerResponse>();
  /** Connections that have sent nothing: Node does not count them as idle. */
  const silent = new Set<Socket>();
  let begun = false;

  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });

  function endIdle(): void {
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  }

  return {
    unfinished,
    endIdle,
    take: (response: ServerResponse): void => {
      silent.delete(response.req.socket);
      unfinished.add(response);
      response.once('close', () => unfinished.delete(response));
      if (begun) response.setHeader('Connection', 'close');
    },
    /** Accepts no new connection; resolves when every connection has ended, after `boundMs` at the latest. */
    begin: (boundMs: number): Promise<void> => {
      begun = true;
      for (const response of unfinished) if (!response.headersSent) response.setHeader('Connection', 'close');
      return new Promise((resolve) => {
        const idle = setInterval(endIdle, IDLE_GRACE_MS);
        const bound = setTimeout(() => {
          server.closeAllConnections();
        }, boundMs);
        // Node's own `close` ends idle connections at once and loses requests that are on their way. The
        // `close` of net.Server lets an idle connection send one more request, whose answer says that the connection ends.
        TcpServer.prototype.close.call(server, () => {
          clearInterval(idle);
          clearTimeout(bound);
          resolve();
        });
      });
    },
  };
}
