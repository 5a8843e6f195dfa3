import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { DatabaseUnavailable } from './errors.ts';
import { Session } from './session.ts';

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** False behind a pooler in transaction mode: no named statements, no startup parameters. */
  readonly preparedStatements: boolean;
  readonly log: Logger;
}

/** How long a request waits for a connection, be it a new one or one that others still use. */
const CONNECTION_TIMEOUT_MS = 5_000;

export interface SessionPool {
  /** @throws DatabaseUnavailable when no connection can be had, and whatever `use` throws. */
  withSession<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Takes no more; resolves when those under way have ended. */
  close(): Promise<void>;
}

/** Opens nothing yet: connections are made when they are first needed, and again after an outage. */
export function openPool(options: PoolOptions): SessionPool {
  const { preparedStatements, log } = options;
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    application_name: 'taxclaims-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The settings of a request set it too, but cannot bound the statement that they are themselves.
    statement_timeout: preparedStatements ? options.statementTimeoutMs : undefined,
  });
  // A connection that dies is reported by the client, and while it is idle by the pool as well; an event
  // without a listener would end the process. The pipeline that was using it fails on its own.
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      log.warn({ err: error }, 'a database connection was lost');
    });
  });
  pool.on('error', () => undefined);
  let closed: Promise<void> | undefined;

  return {
    async withSession(use) {
      const session = new Session(await connect(pool), preparedStatements);
      try {
        return await use(session);
      } finally {
        session.release();
      }
    },
    close: () => (closed ??= pool.end()),
  };
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new DatabaseUnavailable('No connection to the database could be had.', { cause: error });
  }
}
