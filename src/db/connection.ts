import { connect } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import { serialize } from 'pg-protocol';
import { CANCEL_MS, PARTING_MS } from '../limits.ts';

interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
}

/** A connection that ends when it is told to, also where the server says nothing any more. */
export class Connection extends Client {
  #key: CancelKey | undefined;

  constructor(config: ClientConfig) {
    super(config);
    this.connection.once('backendKeyData', (key: CancelKey) => {
      this.#key = key;
    });
  }

  /** pg closes its own half and waits for the server's, which a frozen server never closes. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const parting = setTimeout(() => {
      this.destroy();
    }, PARTING_MS).unref();
    this.once('end', () => {
      clearTimeout(parting);
    });
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  destroy(): void {
    this.connection.stream.destroy();
  }

  /**
   * Asks the server to give up what it is doing for this connection. One that is frozen finds it when it thaws. In plain
   * text, as libpq does: the key is of no more use than this.
   */
  askToCancel(): void {
    if (this.#key === undefined) return;
    const { processID, secretKey } = this.#key;
    const socket = this.host.startsWith('/')
      ? connect(`${this.host}/.s.PGSQL.${this.port}`)
      : connect(this.port, this.host);
    socket.on('error', () => undefined);
    // The server ends it: PgBouncer 1.18 does not survive a client that closes before its cancel has arrived.
    socket.unref().resume().write(serialize.cancel(processID, secretKey));
    setTimeout(() => socket.destroy(), CANCEL_MS).unref();
  }
}
