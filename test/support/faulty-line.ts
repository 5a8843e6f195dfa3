import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * The ways in which a TCP proxy treats the bytes between a client and a server: `whole` passes all bytes. `mute` passes
 * no bytes in either direction, but keeps connections open. `deaf` passes requests but no responses. `unheard` cuts a
 * connection at the response to its commit. `slow` delays each piece of bytes. `cut` refuses and closes connections.
 * `failing` answers every HTTP request with 500.
 */
export type State = 'whole' | 'mute' | 'deaf' | 'unheard' | 'slow' | 'cut' | 'failing';

/** A TCP proxy before a server. A test chooses which failure of the network the proxy imitates. */
export interface FaultyLine {
  readonly port: number;
  /** Returns the address of the server with the port of this proxy. */
  through(url: string): string;
  become(state: State): void;
  /** Cuts each connection after the server has sent this number of bytes on it; undefined cuts none. */
  cutAfter(bytes: number | undefined): void;
  close(): void;
}

const LATE_MS = 20;
const FAILURE = 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/**
 * Starts a TCP proxy before a server.
 * @param onSent is called for each piece of bytes that the first connection sends, with the number of the piece
 */
export async function layFaultyLine(
  target: { readonly port: number },
  onSent: (nth: number, line: FaultyLine) => void = () => undefined,
): Promise<FaultyLine> {
  let connections = 0;
  let sent = 0;
  let state: State = 'whole';
  let limit: number | undefined;
  const pairs = new Set<Pair>();

  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    if (state === 'failing') {
      near.on('error', () => undefined).once('data', () => near.end(FAILURE));
      return;
    }
    const pair = new Pair(near, connect(target.port, '127.0.0.1'), () => limit);
    pairs.add(pair);
    pair.onEnd(() => pairs.delete(pair));
    pair.become(state);
    connections += 1;
    if (connections > 1) return;
    near.on('data', () => {
      sent += 1;
      onSent(sent, line);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const line: FaultyLine = {
    port,
    through(url) {
      const address = new URL(url);
      address.hostname = '127.0.0.1';
      address.port = String(port);
      return address.href;
    },
    become(next) {
      state = next;
      for (const pair of pairs) pair.become(next);
    },
    cutAfter(bytes) {
      limit = bytes;
    },
    close() {
      for (const pair of pairs) pair.become('cut');
      server.close();
    },
  };
  return line;
}

class Pair {
  readonly #near: Socket;
  readonly #far: Socket;
  #state: State = 'whole';
  #back = 0;
  #isCommitting = false;
  #ends: (() => void)[] = [];

  constructor(near: Socket, far: Socket, limit: () => number | undefined) {
    this.#near = near;
    this.#far = far;
    for (const socket of [near, far]) socket.setNoDelay(true);
    this.#carry(near, far, (piece) => {
      this.#isCommitting = this.#state === 'unheard' && piece.includes('commit\0');
      return false;
    });
    this.#carry(far, near, (piece) => {
      this.#back += piece.length;
      return this.#isCommitting || this.#back > (limit() ?? Infinity);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        // While the TCP proxy is mute or deaf, one end of a connection must not notice that the other end has closed
        // it.
        if (this.#state === 'mute' || this.#state === 'deaf') this.#ends.push(() => other.destroy());
        else other.destroy();
      });
    }
  }

  onEnd(ended: () => void): void {
    let open = 2;
    for (const socket of [this.#near, this.#far])
      socket.once('close', () => {
        open -= 1;
        if (open === 0) ended();
      });
  }

  become(state: State): void {
    this.#state = state;
    if (state === 'cut' || state === 'failing') {
      this.#near.destroy();
      this.#far.destroy();
      return;
    }
    if (state === 'mute') this.#near.pause();
    else this.#near.resume();
    if (state === 'mute' || state === 'deaf') {
      this.#far.pause();
      return;
    }
    this.#far.resume();
    for (const end of this.#ends.splice(0)) setTimeout(end, LATE_MS);
  }

  #carry(from: Socket, to: Socket, isOver: (piece: Buffer) => boolean = () => false): void {
    from.on('data', (piece: Buffer) => {
      if (isOver(piece)) {
        this.become('cut');
        return;
      }
      if (this.#state === 'slow') setTimeout(() => to.write(piece), LATE_MS);
      else to.write(piece);
    });
    from.once('end', () => to.end());
  }
}
