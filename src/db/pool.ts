import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { boundOf } from '../bound.ts';
import { Connection } from './connection.ts';
import { DatabaseUnavailable, RightMissing } from './errors.ts';
import * as limit from '../limits.ts';
import { assertWrites, createPrimary, saysReadOnly, tellingPrimary } from './primary.ts';
import type { Primary } from './primary.ts';
import { Session } from './session.ts';
import type { WalkLimits } from './walk.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** Where the address has several servers, which of them is the primary: as other pools of the process know it. */
  readonly primary?: Primary | undefined;
  /** False behind a pooler in transaction mode that keeps no named statements. */
  readonly preparedStatements: boolean;
  /** How many may wait for a connection that others use; a hundred for each connection when absent. */
  readonly maxWaiting?: number;
  /** Of lists that are read whole. */
  readonly walks?: Partial<WalkLimits>;
  /** Told how long each wait for a connection took, in vain or not. */
  readonly onWaited?: ((ms: number) => void) | undefined;
  readonly log: Logger;
}

const ignore = (): void => undefined;

class Lent extends Connection {
  readonly server: string;

  constructor(config: ClientConfig, server: string) {
    super({ ...config, connectionString: server });
    this.server = server;
  }
}

/** The pool makes no others, which its types do not say. */
function lentOf(client: PoolClient): PoolClient & Lent {
  if (client instanceof Lent) return client;
  throw new Error('The pool made a client of another kind.');
}

interface Lending {
  readonly limitMs?: number;
  /** False for statements that no other request will send. */
  readonly prepared?: boolean;
}

export interface PoolFigures {
  readonly connections: number;
  readonly idle: number;
  readonly size: number;
  /** Requests that have none yet. */
  readonly waiting: number;
  /** How often a statement was refused because the service lacks a right. */
  readonly rightsMissing: number;
}

export interface SessionPool {
  /**
   * Waits for a connection and holds it, both together no longer than the statement time-out and a second, or than
   * `lending` says. Who has none half a second before that time-out and second are over gets none.
   * @throws DatabaseUnavailable when no connection can be had, too many wait for one already, or the server is mute;
   * and whatever `use` throws.
   */
  withSession<T>(use: (session: Session) => Promise<T>, lending?: Lending): Promise<T>;
  /** Takes no more; resolves when those under way have ended, or were broken off because they took longer than that. */
  close(withinMs?: number): Promise<void>;
  figures(): PoolFigures;
}

/** Opens nothing yet: connections are made when they are first needed, and again after an outage. */
export function openPool(options: PoolOptions): SessionPool {
  const { poolSize, preparedStatements, log } = options;
  const { maxWaiting = poolSize * limit.WAITING_PER_CONNECTION } = options;
  const limitMs = options.statementTimeoutMs + limit.GRACE_MS;
  // Whoever has a connection later could only be cancelled on it.
  const waitMs = limitMs - limit.CANCEL_BEFORE_MS;
  const places = boundOf(
    poolSize + maxWaiting,
    () => new DatabaseUnavailable('Too many wait for a connection to the database.'),
  );
  const connections = new Set<Lent>();
  const primary = options.primary ?? createPrimary(options.url, tellingPrimary(log));
  let isPrepared = preparedStatements;
  const prepareNoMore = (): void => {
    if (isPrepared)
      log.warn(
        'prepared statements do not survive between transactions, as behind PgBouncer before 1.21: none is used from now on; say so with DATABASE_PREPARED_STATEMENTS=false',
      );
    isPrepared = false;
  };
  const pool = new Pool({
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: limit.IDLE_MS,
    // All that is said at connecting: a pooler in transaction mode refuses `statement_timeout` and most others.
    application_name: 'taxclaims-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: limit.TCP_KEEP_ALIVE_MS,
    Client: class extends Lent {
      constructor(config: ClientConfig = {}) {
        const connectionTimeoutMillis = Math.min(waitMs, limit.CONNECT_MS);
        super({ ...config, connectionTimeoutMillis }, primary.latest);
        connections.add(this);
        this.once('end', () => connections.delete(this));
      }
    },
    ...(primary.isAsked && {
      verify: (client: PoolClient, done: (error?: Error) => void) => {
        assertWrites(lentOf(client)).then(() => {
          done();
        }, done);
      },
    }),
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
  let rightsMissing = 0;
  /** Whom pg forgets when its pool ends: all who have no connection yet. */
  const waiting = new Set<(reason: Error) => void>();

  /** One to the server that takes writes; those to any other are ended. */
  async function connect(): Promise<PoolClient & Lent> {
    const { promise: closing, reject: leave } = Promise.withResolvers<never>();
    waiting.add(leave);
    const end = performance.now() + waitMs;
    const timer = setTimeout(() => {
      leave(new Error(`None came within ${waitMs} ms.`));
    }, waitMs);
    try {
      for (let isFirst = true; ; ) {
        if (primary.current === undefined) await Promise.race([primary.find(), closing]);
        const client = await arrival(closing).catch((error: unknown) => {
          // Nothing was sent: where another server may lead by now, it is looked for once.
          if (!isFirst || primary.current !== undefined || performance.now() > end) throw error;
          isFirst = false;
        });
        if (client !== undefined && client.server === primary.current) return client;
        client?.release(true);
        if (performance.now() > end) throw new Error('The server that takes writes changed all the time.');
      }
    } catch (cause) {
      throw new DatabaseUnavailable('No connection to the database could be had.', { cause });
    } finally {
      clearTimeout(timer);
      waiting.delete(leave);
    }
  }

  /** What is idle is lent at once: there is nothing to wait for, unless it leads to another server by now. */
  function lendIdle(lent: (client: PoolClient & Lent) => void, failed: (error: Error) => void): void {
    const leave = (cause: Error): void => {
      failed(new DatabaseUnavailable('No connection to the database could be had.', { cause }));
    };
    waiting.add(leave);
    pool.connect((_error, client) => {
      waiting.delete(leave);
      if (client instanceof Lent && client.server === primary.current) {
        lent(client);
        return;
      }
      client?.release(true);
      connect().then(lent, failed);
    });
  }

  const isIdle = (): boolean => primary.current !== undefined && pool.idleCount > pool.waitingCount;

  async function arrival(closing: Promise<never>): Promise<PoolClient & Lent> {
    const { latest } = primary;
    const arriving = pool.connect();
    try {
      return lentOf(await Promise.race([arriving, closing]));
    } catch (error) {
      primary.doubt(latest);
      void arriving.then((late) => {
        late.release();
      }, ignore);
      throw error;
    }
  }

  /** The pool forgets its connections before they are closed: a server that is stopped then would break them off. */
  async function left(): Promise<void> {
    const leaving = [...connections].map((one) => new Promise((resolve) => one.once('end', resolve)));
    await Promise.race([Promise.all(leaving), delay(limit.LEAVING_MS, undefined, { ref: false })]);
  }

  /** Not even a server that is mute, or work between statements, keeps it from ending. */
  async function end(withinMs: number): Promise<void> {
    const { promise: brokenOff, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
      resolve(undefined);
    }, withinMs);
    const ended = pool.end().then(left);
    for (const leave of waiting) leave(new Error('The pool was closed.'));
    await Promise.race([ended, brokenOff]);
    clearTimeout(timer);
  }

  return {
    withSession<T>(use: (session: Session) => Promise<T>, lending: Lending = {}) {
      return new Promise<T>((resolve, reject) => {
        const leave = places.enter();
        const since = performance.now();
        let server = '';
        const waited = (): void => options.onWaited?.(performance.now() - since);
        const succeeded = (value: T): void => {
          leave();
          resolve(value);
        };
        const failed = (error: Error): void => {
          if (error instanceof DatabaseUnavailable || saysReadOnly(error)) primary.doubt(server);
          if (error instanceof RightMissing) rightsMissing += 1;
          leave();
          reject(error);
        };
        const lent = (client: PoolClient & Lent): void => {
          waited();
          ({ server } = client);
          const session = new Session(client, since, isPrepared && lending.prepared !== false, prepareNoMore);
          session.within(lending.limitMs ?? limitMs, use, succeeded, failed);
        };
        const refused = (error: Error): void => {
          waited();
          failed(error);
        };
        if (isIdle()) lendIdle(lent, refused);
        else connect().then(lent, refused);
      });
    },
    close: (withinMs = limitMs) => (closed ??= end(withinMs)),
    figures: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      size: poolSize,
      waiting: pool.waitingCount,
      rightsMissing,
    }),
  };
}
