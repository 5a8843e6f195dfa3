import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type ClientConfig, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import * as limit from '../limits.ts';
import { createClientConfig, explainConnectionError } from './client-config.ts';
import { Connection } from './connection.ts';
import { DatabaseUnavailable } from './errors.ts';
import { assertAcceptsWrites, type PrimaryTracker } from './primary.ts';

class PooledConnection extends Connection {
  readonly server: string;

  constructor(config: ClientConfig, server: string, passwordFile: string | undefined) {
    super({ ...config, ...createClientConfig(server, passwordFile) });
    this.server = server;
  }
}

export type PooledClient = PoolClient & PooledConnection;

interface ConnectionsOptions {
  readonly size: number;
  readonly maxWaitMs: number;
  readonly primary: PrimaryTracker;
  readonly log: Logger;
}

const doNothing = (): void => undefined;

/** The pooled connections to the primary. After a failover they go to the new primary. */
export class Connections {
  readonly #primary: PrimaryTracker;
  readonly #maxWaitMs: number;
  readonly #pool: Pool;
  readonly #open = new Set<PooledConnection>();
  /** Functions that reject the requests in the pool's queue: pg forgets queued requests when its pool ends. */
  readonly #waiting = new Set<(reason: Error) => void>();

  constructor({ size, maxWaitMs, primary, log }: ConnectionsOptions) {
    this.#primary = primary;
    this.#maxWaitMs = maxWaitMs;
    this.#pool = createPool({ size, maxWaitMs, primary, log }, (connection) => {
      this.#open.add(connection);
      connection.once('end', () => this.#open.delete(connection));
    });
  }

  get counts() {
    const { totalCount: connections, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { connections, idle, waiting };
  }

  /** Calls back with a connection to the present primary or with DatabaseUnavailable. Callbacks save time. */
  take(onConnection: (client: PooledClient) => void, onFailure: (error: Error) => void): void {
    if (this.#primary.current !== undefined && this.#pool.idleCount > this.#pool.waitingCount)
      this.#takeIdle(onConnection, onFailure);
    else this.#connect().then(onConnection, onFailure);
  }

  /** Takes an idle connection. Sets no timer, because the pool returns an idle connection at once. */
  #takeIdle(onConnection: (client: PooledClient) => void, onFailure: (error: Error) => void): void {
    const reject = (cause: Error): void => {
      onFailure(unavailableError(cause));
    };
    this.#waiting.add(reject);
    this.#pool.connect((_error, client) => {
      this.#waiting.delete(reject);
      if (client instanceof PooledConnection && client.server === this.#primary.current) {
        onConnection(client);
        return;
      }
      client?.release(true);
      this.#connect().then(onConnection, onFailure);
    });
  }

  async #connect(): Promise<PooledClient> {
    const { promise: rejected, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    const timer = setTimeout(() => {
      reject(new Error(`None came within ${this.#maxWaitMs} ms.`));
    }, this.#maxWaitMs);
    try {
      return await this.#connectToPrimary(rejected);
    } catch (cause) {
      throw unavailableError(cause);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    }
  }

  async #connectToPrimary(rejected: Promise<never>): Promise<PooledClient> {
    const deadline = performance.now() + this.#maxWaitMs;
    for (let isFirst = true; ; ) {
      if (this.#primary.current === undefined) await Promise.race([this.#primary.find(), rejected]);
      const client = await this.#takeFromPool(rejected).catch((error: unknown) => {
        // A failed connect sent no statement, so after a failover the pool finds the new primary and tries again.
        if (!isFirst || this.#primary.current !== undefined || performance.now() > deadline) throw error;
        isFirst = false;
      });
      if (client !== undefined && client.server === this.#primary.current) return client;
      client?.release(true);
      if (performance.now() > deadline) throw new Error('The server that takes writes changed all the time.');
    }
  }

  async #takeFromPool(rejected: Promise<never>): Promise<PooledClient> {
    const { latest } = this.#primary;
    const connecting = this.#pool.connect();
    try {
      return assertPooledClient(await Promise.race([connecting, rejected]));
    } catch (error) {
      this.#primary.reportFailure(latest);
      void connecting.then((late) => {
        late.release();
      }, doNothing);
      throw error;
    }
  }

  /** Rejects the requests in the queue, and closes every connection; after `withinMs` destroys those in use. */
  async end(withinMs: number): Promise<void> {
    const { promise: forced, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
      resolve(undefined);
    }, withinMs);
    const ended = this.#pool.end().then(() => this.#awaitClosed());
    for (const reject of this.#waiting) reject(new Error('The pool was closed.'));
    await Promise.race([ended, forced]);
    clearTimeout(timer);
  }

  /**
   * Waits until every connection is closed. pg's own `end` resolves earlier, and a stop of the embedded Postgres would
   * then cut off open connections.
   */
  async #awaitClosed(): Promise<void> {
    const ends = [...this.#open].map((one) => new Promise((resolve) => one.once('end', resolve)));
    await Promise.race([Promise.all(ends), delay(limit.POOL_CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

function createPool(
  { size, maxWaitMs, primary, log }: ConnectionsOptions,
  onCreated: (connection: PooledConnection) => void,
): Pool {
  const pool = new Pool({
    max: size,
    connectionTimeoutMillis: maxWaitMs,
    idleTimeoutMillis: limit.POOL_IDLE_CONNECTION_MS,
    // Sends no startup parameter but application_name, because a pooler in transaction mode refuses most others.
    application_name: 'taxclaims-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: limit.TCP_KEEP_ALIVE_MS,
    Client: class extends PooledConnection {
      constructor(config: ClientConfig = {}) {
        const connectionTimeoutMillis = Math.min(maxWaitMs, limit.POSTGRES_CONNECT_TIMEOUT_MS);
        super({ ...config, connectionTimeoutMillis }, primary.latest, primary.passwordFile);
        onCreated(this);
      }
    },
    ...(primary.mustVerifyWrites && {
      verify: (client: PoolClient, done: (error?: Error) => void) => {
        assertAcceptsWrites(assertPooledClient(client)).then(() => {
          done();
        }, done);
      },
    }),
  });
  // Without an error listener a lost connection would end the process. A pipeline reports the loss of its connection
  // itself.
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      log.warn({ err: error }, 'a database connection was lost');
    });
  });
  pool.on('error', doNothing);
  return pool;
}

/** Checks the class of a pg client, because pg's types do not tell which class the pool creates. */
function assertPooledClient(client: PoolClient): PooledClient {
  if (client instanceof PooledConnection) return client;
  throw new Error('The pool made a client of another kind.');
}

function unavailableError(cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable('No connection to the database could be had.', {
    cause: explainConnectionError(cause),
  });
}
