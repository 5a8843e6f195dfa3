import { Pool } from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { Connection } from './connection.ts';
import { DatabaseUnavailable } from './errors.ts';
import { Session } from './session.ts';
import type { WalkLimits } from './walk.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** False behind a pooler in transaction mode that keeps no named statements. */
  readonly preparedStatements: boolean;
  /** How many may wait for a connection that others use; a hundred for each connection when absent. */
  readonly maxWaiting?: number;
  /** Whether each write is noted for its caller, whom a replica answers only once it has replayed that. */
  readonly notesWrites?: boolean;
  /** Of lists that are read whole. */
  readonly walks?: Partial<WalkLimits>;
  readonly log: Logger;
}

/** What the server has beyond its statement time-out until it is taken for mute. */
export const GRACE_MS = 1_000;
/** How long a new connection may take, whatever statements may. */
const CONNECTING_MS = 5_000;
const WAITING_PER_CONNECTION = 100;

const ignore = (): void => undefined;

export interface Lending {
  readonly limitMs?: number;
  /** False for statements that no other request will send. */
  readonly prepared?: boolean;
}

export interface SessionPool {
  /**
   * Waits for a connection no longer than the statement time-out and a second, then holds it no longer than that again,
   * or than `lending` says.
   * @throws DatabaseUnavailable when no connection can be had, too many wait for one already, or the server is mute;
   * and whatever `use` throws.
   */
  withSession<T>(use: (session: Session) => Promise<T>, lending?: Lending): Promise<T>;
  /** Takes no more; resolves when those under way have ended, or were broken off because they took longer than that. */
  close(withinMs?: number): Promise<void>;
}

/** Opens nothing yet: connections are made when they are first needed, and again after an outage. */
export function openPool(options: PoolOptions): SessionPool {
  const { poolSize, preparedStatements, log } = options;
  const { maxWaiting = poolSize * WAITING_PER_CONNECTION } = options;
  const limitMs = options.statementTimeoutMs + GRACE_MS;
  const connections = new Set<Connection>();
  let isPrepared = preparedStatements;
  const prepareNoMore = (): void => {
    if (isPrepared)
      log.warn(
        'prepared statements do not survive between transactions, as behind PgBouncer before 1.21: none is used from now on; say so with DATABASE_PREPARED_STATEMENTS=false',
      );
    isPrepared = false;
  };
  const pool = new Pool({
    connectionString: options.url,
    max: poolSize,
    connectionTimeoutMillis: limitMs,
    idleTimeoutMillis: 30_000,
    // All that is said at connecting: a pooler in transaction mode refuses `statement_timeout` and most others.
    application_name: 'taxclaims-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    Client: class extends Connection {
      constructor(config: ClientConfig = {}) {
        super({ ...config, connectionTimeoutMillis: Math.min(limitMs, CONNECTING_MS) });
        connections.add(this);
        this.once('end', () => connections.delete(this));
      }
    },
  });
  // A connection that dies is reported by the client, and while it is idle by the pool as well; an event
  // without a listener would end the process. The pipeline that was using it fails on its own.
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      log.warn({ err: error }, 'a database connection was lost');
    });
  });
  pool.on('error', ignore);
  let closed: Promise<void> | undefined;
  /** Whom pg forgets when its pool ends: all who have no connection yet. */
  const waiting = new Set<(reason: Error) => void>();

  async function connect(): Promise<PoolClient & Connection> {
    if (pool.waitingCount >= maxWaiting)
      throw new DatabaseUnavailable('Too many wait for a connection to the database.');
    const arriving = pool.connect();
    const { promise: closing, reject: leave } = Promise.withResolvers<never>();
    waiting.add(leave);
    try {
      const client = await Promise.race([arriving, closing]);
      if (client instanceof Connection) return client;
    } catch (cause) {
      void arriving.then((late) => {
        late.release();
      }, ignore);
      throw new DatabaseUnavailable('No connection to the database could be had.', { cause });
    } finally {
      waiting.delete(leave);
    }
    throw new Error('The pool made a client of another kind.');
  }

  /** Not even a server that is mute, or work between statements, keeps it from ending. */
  async function end(withinMs: number): Promise<void> {
    const { promise: brokenOff, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
      resolve(undefined);
    }, withinMs);
    const ended = pool.end();
    for (const leave of waiting) leave(new Error('The pool was closed.'));
    await Promise.race([ended, brokenOff]);
    clearTimeout(timer);
  }

  return {
    withSession: async (use, lending = {}) =>
      new Session(await connect(), isPrepared && lending.prepared !== false, prepareNoMore).within(
        lending.limitMs ?? limitMs,
        use,
      ),
    close: (withinMs = limitMs) => (closed ??= end(withinMs)),
  };
}
