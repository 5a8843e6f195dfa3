import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Takes every connection, says what it is told to once somebody has spoken, and then nothing more. */
export interface SilentServer {
  readonly url: string;
  /** How many connections it has taken. */
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
    // Nothing is read either: what a client sends comes to a stop.
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
