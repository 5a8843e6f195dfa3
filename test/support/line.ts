import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy before a server that can go mute: the proxy keeps and accepts connections, but passes no bytes. */
export interface Line {
  /** Returns the address of the server with the port of this proxy. */
  via(url: string): string;
  mute(): void;
  /**
   * Makes the proxy discard the given bytes when the server sends them, and all that the server sends later on the same
   * connection. Bytes of the client still pass. Resolves when the bytes were discarded.
   */
  muteAt(bytes: Buffer): Promise<void>;
  /** Makes the TCP proxy pass bytes again. Bytes that the proxy discarded are lost. */
  speak(): void;
  /** The number of connections to the TCP proxy that clients have not ended, not counting cancel requests. */
  readonly open: number;
  close(): void;
}

/**
 * The number that marks a Postgres cancel request, where other first messages of a client have the protocol version.
 */
const CANCEL = 80_877_102;

export async function layLine(): Promise<Line> {
  const near = new Set<Socket>();
  const open = new Set<Socket>();
  let target = new URL('tcp://nowhere');
  let isMute = false;
  let held: { readonly bytes: Buffer; readonly done: () => void } | undefined;

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    near.add(socket);
    socket.on('error', () => undefined);
    const left = (): void => {
      open.delete(socket);
    };
    open.add(socket);
    // The proxy does not count a connection with a Postgres cancel request, because no client waits for a response to
    // such a request.
    socket.once('data', (data: Buffer) => {
      if (data.length === 16 && data.readUInt32BE(4) === CANCEL) left();
    });
    socket.once('end', left).once('close', left);
    socket.once('close', () => near.delete(socket));
    if (isMute) {
      socket.resume();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    far.on('error', () => undefined);
    let isLost = false;
    socket.on('data', (data) => {
      if (!isMute) far.write(data);
    });
    far.on('data', (data) => {
      const at = held === undefined ? -1 : data.indexOf(held.bytes);
      if (held !== undefined && at >= 0) {
        socket.write(data.subarray(0, at));
        isLost = true;
        held.done();
        held = undefined;
      } else if (!isMute && !isLost) socket.write(data);
    });
    socket.once('end', () => {
      if (!isMute) far.end();
    });
    far.once('end', () => {
      if (!isMute && !isLost) socket.end();
    });
    socket.once('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    via: (url) => {
      target = new URL(url);
      const through = new URL(url);
      through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return through.href;
    },
    mute: () => {
      isMute = true;
    },
    muteAt: (bytes) =>
      new Promise((resolve) => {
        held = { bytes, done: resolve };
      }),
    speak: () => {
      isMute = false;
    },
    get open() {
      return open.size;
    },
    close: () => {
      for (const socket of near) socket.destroy();
      server.close();
    },
  };
}
