import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A line to a server that can go mute: connections stay open, and are taken, and nothing is heard any more. */
export interface Line {
  /** The same address by way of the line. */
  via(url: string): string;
  /** Nothing passes from now on, in either direction. */
  mute(): void;
  /**
   * The next such bytes of the server do not arrive, nor does anything after them; what the client says still does.
   * Resolves once they were held back.
   */
  muteAt(bytes: Buffer): Promise<void>;
  /** What is said from now on passes again. What was lost stays lost, on a connection of before. */
  speak(): void;
  /** How many connections their clients have not ended, but for requests to cancel. */
  readonly open: number;
  close(): void;
}

/** The code of a request to cancel, where others have the version of the protocol. */
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
    // A request to cancel is none that anybody waits for.
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
