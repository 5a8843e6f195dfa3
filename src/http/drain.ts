import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { IDLE_GRACE_MS } from '../limits.ts';

interface Drain {
  /** The responses that were taken and are not over. */
  readonly unfinished: ReadonlySet<ServerResponse>;
  /** Waits for this response from now on. */
  take(response: ServerResponse): void;
  /** Ends every connection on which nothing is under way. */
  endIdle(): void;
  /** Takes no new connection, finishes what was taken, ends every connection; resolves when none is left. */
  begin(boundMs: number): Promise<void>;
}

/** Watches the connections of a server, so that it can be closed without breaking what it took. */
export function createDrain(server: Server): Drain {
  const unfinished = new Set<ServerResponse>();
  /** Node counts a connection as idle only once it has said something. */
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
    take: (response) => {
      silent.delete(response.req.socket);
      unfinished.add(response);
      response.once('close', () => unfinished.delete(response));
      if (begun) response.setHeader('Connection', 'close');
    },
    begin: (boundMs) => {
      begun = true;
      for (const response of unfinished) if (!response.headersSent) response.setHeader('Connection', 'close');
      return new Promise((resolve) => {
        const idle = setInterval(endIdle, IDLE_GRACE_MS);
        const bound = setTimeout(() => {
          server.closeAllConnections();
        }, boundMs);
        // Node's own `close` would end idle connections at once, and with them the requests on their way;
        // here the next request of such a connection is answered too, and told that the connection ends.
        TcpServer.prototype.close.call(server, () => {
          clearInterval(idle);
          clearTimeout(bound);
          resolve();
        });
      });
    },
  };
}
