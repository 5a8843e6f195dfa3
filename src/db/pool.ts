import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { hungUpError, RequestError } from '../errors.ts';
import * as limit from '../limits.ts';
import { Shares } from '../shares.ts';
import { Connections, type PooledClient } from './connections.ts';
import { DatabaseUnavailable, RightMissing } from './errors.ts';
import { primaryLogger, isReadOnlyError, trackPrimary, type PrimaryTracker } from './primary.ts';
import { Session } from './session.ts';

export interface PoolOptions {
  readonly url: string;
  readonly passwordFile?: string | undefined;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly primary?: PrimaryTracker | undefined;
  /** False if the connections go through a pooler in transaction mode that does not support prepared statements. */
  readonly preparedStatements: boolean;
  /** How many requests may wait for a connection; by default a hundred for each connection of the pool. */
  readonly maxWaiting?: number;
  readonly onWaited?: ((ms: number) => void) | undefined;
  readonly log: Logger;
}

interface SessionOptions {
  /** Whose transaction it is: it waits until fewer than TRANSACTIONS_PER_USER of the same caller run. */
  readonly subject?: string | undefined;
  /** The connection of the caller: a transaction that waits for its turn never begins if the caller hangs up. */
  readonly socket?: Socket | undefined;
  readonly limitMs?: number;
  /** True if the session prepares its statements; false if the session sends each statement only once. */
  readonly prepared?: boolean;
}

export class SessionPool {
  readonly #options: PoolOptions;
  readonly #limitMs: number;
  readonly #primary: PrimaryTracker;
  readonly #connections: Connections;
  readonly #shares: Shares;
  #isPreparing: boolean;
  #rightsMissing = 0;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    const { url, passwordFile, poolSize, statementTimeoutMs, primary, preparedStatements, log } = options;
    this.#options = options;
    this.#limitMs = statementTimeoutMs + limit.STATEMENT_GRACE_MS;
    this.#primary = primary ?? trackPrimary(url, primaryLogger(log), passwordFile);
    this.#connections = new Connections({
      size: poolSize,
      // A request that waits for longer would have no time left for its statement.
      maxWaitMs: this.#limitMs - limit.STATEMENT_CANCEL_MARGIN_MS,
      primary: this.#primary,
      log,
    });
    this.#shares = createShares(options);
    this.#isPreparing = preparedStatements;
  }

  /**
   * `limitMs` limits the time to wait for a connection and to run `use`.
   * @throws DatabaseUnavailable, RequestError ERROR_RATE_LIMITED where `subject` has too many, and the errors of `use`
   */
  withSession<T>(use: (session: Session) => Promise<T>, options: SessionOptions = {}): Promise<T> {
    return this.#shares.run(options.subject, () => this.#openSession(use, options), options.socket);
  }

  /** Uses callbacks, not promises, to save time. */
  #openSession<T>(
    use: (session: Session) => Promise<T>,
    { limitMs = this.#limitMs, prepared = true }: SessionOptions,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const startMs = performance.now();
      let server = '';
      const fail = (error: Error): void => {
        this.#noteFailure(error, server);
        reject(error);
      };
      this.#connections.take(
        (client) => {
          this.#options.onWaited?.(performance.now() - startMs);
          ({ server } = client);
          this.#createSession(client, startMs, prepared).useWithLimit(limitMs, use, resolve, fail);
        },
        (error) => {
          this.#options.onWaited?.(performance.now() - startMs);
          fail(error);
        },
      );
    });
  }

  #createSession(client: PooledClient, startMs: number, prepared: boolean): Session {
    return new Session(client, startMs, this.#isPreparing && prepared, () => {
      if (this.#isPreparing)
        this.#options.log.warn(
          'prepared statements do not survive between transactions, as behind PgBouncer before 1.21: none is used from now on; say so with DATABASE_PREPARED_STATEMENTS=false',
        );
      this.#isPreparing = false;
    });
  }

  #noteFailure(error: Error, server: string): void {
    if (error instanceof DatabaseUnavailable || isReadOnlyError(error)) this.#primary.reportFailure(server);
    if (error instanceof RightMissing) this.#rightsMissing += 1;
  }

  close(withinMs = this.#limitMs): Promise<void> {
    return (this.#closing ??= this.#connections.end(withinMs));
  }

  figures() {
    return { ...this.#connections.counts, size: this.#options.poolSize, rightsMissing: this.#rightsMissing };
  }
}

function createShares({ poolSize, maxWaiting = poolSize * limit.WAITING_REQUESTS_PER_CONNECTION }: PoolOptions) {
  return new Shares({
    total: {
      max: poolSize + maxWaiting,
      refusedError: () => new DatabaseUnavailable('Too many wait for a connection to the database.'),
    },
    each: {
      max: limit.TRANSACTIONS_PER_USER,
      refusedError: () =>
        new RequestError('ERROR_RATE_LIMITED', 'the caller has too many requests under way', {
          headers: { 'Retry-After': '5' },
          kind: 'transactions',
        }),
      wait: {
        maxMs: limit.TRANSACTION_TURN_TIMEOUT_MS,
        maxWaiting: limit.MAX_WAITING_TRANSACTIONS_PER_USER,
        hungUpError,
      },
    },
  });
}
