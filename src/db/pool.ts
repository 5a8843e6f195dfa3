import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type ClientConfig, type PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createSemaphore } from '../semaphore.ts';
import { Connection } from './connection.ts';
import { DatabaseUnavailable, RightMissing } from './errors.ts';
import { hungUpError, RequestError } from '../errors.ts';
import * as limit from '../limits.ts';
import { createShares } from '../shares.ts';
import { assertAcceptsWrites, primaryLogger, isReadOnlyError, trackPrimary, type PrimaryTracker } from './primary.ts';
import type { StreamLimits } from './row-stream.ts';
import { Session } from './session.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly primary?: PrimaryTracker | undefined;
  /** False if the connections go through a pooler in transaction mode that does not support prepared statements. */
  readonly preparedStatements: boolean;
  /** How many requests may wait for a connection; by default a hundred for each connection of the pool. */
  readonly maxWaiting?: number;
  readonly streams?: Partial<StreamLimits>;
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

const doNothing = (): void => undefined;

class PooledConnection extends Connection {
  readonly server: string;

  constructor(config: ClientConfig, server: string) {
    super({ ...config, connectionString: server });
    this.server = server;
  }
}

type PooledClient = PoolClient & PooledConnection;

/** Checks the class of a pg client, because pg's types do not tell which class the pool creates. */
function assertPooledClient(client: PoolClient): PooledClient {
  if (client instanceof PooledConnection) return client;
  throw new Error('The pool made a client of another kind.');
}

export type SessionPool = ReturnType<typeof openPool>;

export function openPool(options: PoolOptions) {
  const { poolSize, preparedStatements, log } = options;
  const { maxWaiting = poolSize * limit.WAITING_REQUESTS_PER_CONNECTION } = options;
  const defaultSessionLimitMs = options.statementTimeoutMs + limit.STATEMENT_GRACE_MS;
  // A request that waits longer than `maxConnectWaitMs` for a connection would have no time left for its statement.
  const maxConnectWaitMs = defaultSessionLimitMs - limit.STATEMENT_CANCEL_MARGIN_MS;
  const queueSemaphore = createSemaphore(
    poolSize + maxWaiting,
    () => new DatabaseUnavailable('Too many wait for a connection to the database.'),
  );
  const callerShares = createShares(limit.TRANSACTIONS_PER_USER, {
    maxMs: limit.TRANSACTION_TURN_TIMEOUT_MS,
    maxWaiting: limit.MAX_WAITING_TRANSACTIONS_PER_USER,
    refusedError: () =>
      new RequestError('ERROR_RATE_LIMITED', 'the caller has too many requests under way', {
        ...{ headers: { 'Retry-After': '5' }, kind: 'transactions' },
      }),
    hungUpError,
  });
  const liveConnections = new Set<PooledConnection>();
  const primaryTracker = options.primary ?? trackPrimary(options.url, primaryLogger(log));
  let usesPreparedStatements = preparedStatements;
  const disablePreparedStatements = (): void => {
    if (usesPreparedStatements)
      log.warn(
        'prepared statements do not survive between transactions, as behind PgBouncer before 1.21: none is used from now on; say so with DATABASE_PREPARED_STATEMENTS=false',
      );
    usesPreparedStatements = false;
  };
  const pool = new Pool({
    max: poolSize,
    connectionTimeoutMillis: maxConnectWaitMs,
    idleTimeoutMillis: limit.POOL_IDLE_CONNECTION_MS,
    // Sends no startup parameter but application_name, because a pooler in transaction mode refuses most others.
    application_name: 'taxclaims-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: limit.TCP_KEEP_ALIVE_MS,
    Client: class extends PooledConnection {
      constructor(config: ClientConfig = {}) {
        const connectionTimeoutMillis = Math.min(maxConnectWaitMs, limit.POSTGRES_CONNECT_TIMEOUT_MS);
        super({ ...config, connectionTimeoutMillis }, primaryTracker.latest);
        liveConnections.add(this);
        this.once('end', () => liveConnections.delete(this));
      }
    },
    ...(primaryTracker.mustVerifyWrites && {
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
  let closePromise: Promise<void> | undefined;
  let rightsMissing = 0;
  /** Functions that reject the requests in the pool's queue: pg forgets queued requests when its pool ends. */
  const queuedRequestRejecters = new Set<(reason: Error) => void>();
  const unavailableError = (cause: unknown): DatabaseUnavailable =>
    new DatabaseUnavailable('No connection to the database could be had.', { cause });

  async function connect(): Promise<PooledClient> {
    const { promise: waitRejection, reject: rejectWait } = Promise.withResolvers<never>();
    queuedRequestRejecters.add(rejectWait);
    const connectDeadlineMs = performance.now() + maxConnectWaitMs;
    const waitTimer = setTimeout(() => {
      rejectWait(new Error(`None came within ${maxConnectWaitMs} ms.`));
    }, maxConnectWaitMs);
    try {
      for (let isFirst = true; ; ) {
        if (primaryTracker.current === undefined) await Promise.race([primaryTracker.find(), waitRejection]);
        const client = await takeFromPool(waitRejection).catch((error: unknown) => {
          // A failed connect sent no statement, so after a failover the pool finds the new primary and tries again.
          if (!isFirst || primaryTracker.current !== undefined || performance.now() > connectDeadlineMs) throw error;
          isFirst = false;
        });
        if (client !== undefined && client.server === primaryTracker.current) return client;
        client?.release(true);
        if (performance.now() > connectDeadlineMs)
          throw new Error('The server that takes writes changed all the time.');
      }
    } catch (cause) {
      throw unavailableError(cause);
    } finally {
      clearTimeout(waitTimer);
      queuedRequestRejecters.delete(rejectWait);
    }
  }

  /**
   * Takes an idle connection to the present primary. Sets no timer, because the pool returns an idle connection at
   * once.
   */
  function takeIdleConnection(onConnection: (client: PooledClient) => void, onFailure: (error: Error) => void): void {
    const rejectWait = (cause: Error): void => {
      onFailure(unavailableError(cause));
    };
    queuedRequestRejecters.add(rejectWait);
    pool.connect((_error, client) => {
      queuedRequestRejecters.delete(rejectWait);
      if (client instanceof PooledConnection && client.server === primaryTracker.current) {
        onConnection(client);
        return;
      }
      client?.release(true);
      connect().then(onConnection, onFailure);
    });
  }

  const hasIdleConnection = (): boolean => primaryTracker.current !== undefined && pool.idleCount > pool.waitingCount;

  async function takeFromPool(waitRejection: Promise<never>): Promise<PooledClient> {
    const { latest } = primaryTracker;
    const pendingConnection = pool.connect();
    try {
      return assertPooledClient(await Promise.race([pendingConnection, waitRejection]));
    } catch (error) {
      primaryTracker.reportFailure(latest);
      void pendingConnection.then((late) => {
        late.release();
      }, doNothing);
      throw error;
    }
  }

  /**
   * Waits until every connection is closed. pg's own `end` resolves earlier, and a stop of the embedded Postgres would
   * then cut off open connections.
   */
  async function waitUntilConnectionsClosed(): Promise<void> {
    const connectionEndPromises = [...liveConnections].map((one) => new Promise((resolve) => one.once('end', resolve)));
    await Promise.race([
      Promise.all(connectionEndPromises),
      delay(limit.POOL_CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }

  async function endPool(withinMs: number): Promise<void> {
    const { promise: forcedEnd, resolve } = Promise.withResolvers<undefined>();
    const forcedEndTimer = setTimeout(() => {
      for (const connection of liveConnections) connection.destroy();
      resolve(undefined);
    }, withinMs);
    const poolEndPromise = pool.end().then(waitUntilConnectionsClosed);
    for (const rejectWait of queuedRequestRejecters) rejectWait(new Error('The pool was closed.'));
    await Promise.race([poolEndPromise, forcedEnd]);
    clearTimeout(forcedEndTimer);
  }

  /** Uses callbacks, not promises, to save time. */
  function openSession<T>(
    use: (session: Session) => Promise<T>,
    { limitMs = defaultSessionLimitMs, prepared = true }: SessionOptions,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leaveQueue = queueSemaphore.enter();
      const waitStartMs = performance.now();
      let server = '';
      const reportConnectWait = (): void => options.onWaited?.(performance.now() - waitStartMs);
      const handleSessionSuccess = (value: T): void => {
        leaveQueue();
        resolve(value);
      };
      const handleSessionFailure = (error: Error): void => {
        if (error instanceof DatabaseUnavailable || isReadOnlyError(error)) primaryTracker.reportFailure(server);
        if (error instanceof RightMissing) rightsMissing += 1;
        leaveQueue();
        reject(error);
      };
      const handleConnection = (client: PooledClient): void => {
        reportConnectWait();
        ({ server } = client);
        const session = new Session(client, waitStartMs, usesPreparedStatements && prepared, disablePreparedStatements);
        session.useWithLimit(limitMs, use, handleSessionSuccess, handleSessionFailure);
      };
      const handleConnectFailure = (error: Error): void => {
        reportConnectWait();
        handleSessionFailure(error);
      };
      if (hasIdleConnection()) takeIdleConnection(handleConnection, handleConnectFailure);
      else connect().then(handleConnection, handleConnectFailure);
    });
  }

  return {
    /**
     * `limitMs` limits the time to wait for a connection and to run `use`.
     * @throws DatabaseUnavailable, RequestError ERROR_RATE_LIMITED where `subject` has too many, and the errors of `use`
     */
    withSession: <T>(use: (session: Session) => Promise<T>, options: SessionOptions = {}): Promise<T> =>
      options.subject === undefined
        ? openSession(use, options)
        : callerShares.run(options.subject, () => openSession(use, options), options.socket),
    close: (withinMs = defaultSessionLimitMs) => (closePromise ??= endPool(withinMs)),
    figures: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      size: poolSize,
      waiting: pool.waitingCount,
      rightsMissing,
    }),
  };
}
