import { connect } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { serialize } from 'pg-protocol';
import { CANCEL_REQUEST_TIMEOUT_MS, POSTGRES_CLOSE_TIMEOUT_MS } from '../limits.ts';

export class Connection extends Client {
  #key: Parameters<typeof serialize.cancel> | undefined;

  constructor(config: ClientConfig) {
    super(config);
    this.connection.once('backendKeyData', (key: { processID: number; secretKey: number }) => {
      this.#key = [key.processID, key.secretKey];
    });
    // pg leaves the socket open where the password cannot be read, until the server's authentication_timeout.
    this.connection.on('error', () => {
      this.destroy();
    });
  }

  /**
   * Destroys the socket after a time-out: pg waits until the server closes the connection, which a frozen server
   * never does.
   */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const closeTimer = setTimeout(() => {
      this.destroy();
    }, POSTGRES_CLOSE_TIMEOUT_MS).unref();
    this.once('end', () => {
      clearTimeout(closeTimer);
    });
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  destroy(): void {
    this.connection.stream.destroy();
  }

  /**
   * Asks the server to cancel the running statement. Sends the cancel request without TLS, as libpq does: the key in
   * the request can do nothing but cancel a statement of this connection.
   */
  askToCancel(): void {
    if (this.#key === undefined) return;
    const socket = this.host.startsWith('/')
      ? connect(`${this.host}/.s.PGSQL.${this.port}`)
      : connect(this.port, this.host);
    socket.on('error', () => undefined);
    // Lets the server close the socket, because PgBouncer 1.18 crashes if the client closes it before the cancel
    // request arrives.
    socket
      .unref()
      .resume()
      .write(serialize.cancel(...this.#key));
    setTimeout(() => socket.destroy(), CANCEL_REQUEST_TIMEOUT_MS).unref();
  }
}
