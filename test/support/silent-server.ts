import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP server that accepts every connection, answers the first bytes with `says`, and then sends nothing more. */
export interface SilentServer {
  readonly url: string;
  /** The number of connections that the silent server has accepted. */
  readonly taken: number;
  close(): void;
}

export async function startSilentServer(says = ''): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    socket.once('data', () => socket.write(says));
    // After the first bytes of a client, the test’s silent server also stops reading, so the client can send no more.
    socket.once('data', () => socket.pause());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get taken() {
      return taken;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
