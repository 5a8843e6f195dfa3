import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line to Postgres that a test can cut, or let go mute. */
export interface Line {
  /** The address of the database by way of this line. */
  readonly url: string;
  /** How often whoever connected first has sent something. */
  readonly sent: number;
  /** Ends every connection, on both sides. */
  readonly cut: () => void;
  /** From now on passes nothing on, and ends nothing. */
  readonly goMute: () => void;
  close(): Promise<void>;
}

/** @param onSent is called after what the first connection sends for the nth time was passed on. */
export async function openLine(
  url: string,
  onSent: (nth: number, line: Line) => void = () => undefined,
): Promise<Line> {
  const to = new URL(url);
  const sockets = new Set<Socket>();
  let connections = 0;
  let sent = 0;
  let mute = false;
  const server = createServer((near) => {
    const isFirst = connections++ === 0;
    const far = connect(Number(to.port), to.hostname);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        if (!mute) into.destroy();
      });
      from.on('data', (data: Buffer) => {
        if (mute) return;
        into.write(data);
        if (isFirst && from === near) onSent(++sent, line);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(url);
  address.hostname = '127.0.0.1';
  address.port = String((server.address() as AddressInfo).port);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const line: Line = {
    url: address.href,
    get sent() {
      return sent;
    },
    cut,
    goMute: () => {
      mute = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return line;
}
