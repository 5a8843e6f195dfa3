import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { postgresAddress } from '../postgres-address.ts';
import { askedOnce } from '../retries.ts';
import { within } from '../within.ts';
import { Connection } from './connection.ts';
import { DatabaseUnavailable, sqlState } from './errors.ts';
import { PRIMARY_ANSWER_MS, PRIMARY_PAUSE_MS } from '../limits.ts';

export interface Primary {
  /** Whether a new connection must be asked first: whoever led a moment ago may follow now. */
  readonly isAsked: boolean;
  /** The address of the server that took writes when it was asked last; undefined while that is in doubt. */
  readonly current: string | undefined;
  /** The same, or where it is in doubt the one that did before: what is made meanwhile is not lent. */
  readonly latest: string;
  /**
   * Asks all servers at once where that is in doubt, so that one that is frozen keeps nobody waiting.
   * @throws DatabaseUnavailable where none takes writes.
   */
  find(): Promise<void>;
  /** Something failed there: before the next connection is lent all are asked again. */
  doubt(server: string): void;
}

export function createPrimary(url: string, told: (server: string) => void = () => undefined): Primary {
  const { servers, writes } = postgresAddress(url);
  const [first = url] = servers;
  if (servers.length === 1) {
    const only = { current: first, latest: first };
    return { isAsked: writes, ...only, find: () => Promise.resolve(), doubt: () => undefined };
  }
  let current: string | undefined;
  let last: string | undefined;

  const ask = askedOnce(
    async () => {
      current = await findWriting(servers);
      if (current !== last) told(nameOf(current));
      last = current;
    },
    0,
    PRIMARY_PAUSE_MS,
  );

  return {
    isAsked: true,
    get current() {
      return current;
    },
    get latest() {
      return last ?? first;
    },
    async find() {
      if (current === undefined) await ask();
    },
    doubt(server) {
      if (server === current) current = undefined;
    },
  };
}

/** Tells the log where the primary is, each time that it is another one. */
export function tellingPrimary(log: Logger): (server: string) => void {
  return (server) => {
    log.info({ server }, 'the database takes writes there');
  };
}

/**
 * Gives the same for the same address, so that however many pools look for the primary, its servers are asked once. Not
 * for the same servers with another login: one that is refused would keep all others from the primary.
 */
export function sharedPrimaries(told: (server: string) => void): (url: string) => Primary {
  const known = new Map<string, Primary>();
  return (url) => {
    const primary = known.get(url) ?? createPrimary(url, told);
    known.set(url, primary);
    return primary;
  };
}

/**
 * The first server to say that it takes writes.
 * @throws DatabaseUnavailable where none does.
 */
export async function findWriting(servers: readonly string[], answerMs = PRIMARY_ANSWER_MS): Promise<string> {
  const connections = servers.map((server) => new Connection(connectionTo(server, answerMs)));
  const asked = connections.map(async (connection, index) => {
    connection.on('error', () => undefined);
    await connection.connect();
    await assertWrites(connection, answerMs);
    return servers[index] ?? '';
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    const { errors } = error as AggregateError;
    const reasons = servers.map((server, index) => `${nameOf(server)}: ${wordsOf(errors[index])}`);
    throw new DatabaseUnavailable(`None of the servers takes writes (${reasons.join('; ')}).`, {
      cause: error,
    });
  } finally {
    // Nobody waits for the others, nor for anybody's farewell.
    for (const connection of connections) connection.end(() => undefined);
  }
}

/** @throws DatabaseUnavailable for a standby, or a database that begins its transactions read-only. */
export async function assertWrites(connection: Connection, answerMs = PRIMARY_ANSWER_MS): Promise<void> {
  const late = (): Error => {
    connection.destroy();
    return new DatabaseUnavailable('The database did not answer in time.');
  };
  const { rows } = await within(
    answerMs,
    connection.query<{ transaction_read_only: string }>('show transaction_read_only'),
    late,
  );
  if (rows[0]?.transaction_read_only !== 'off') throw new DatabaseUnavailable('It takes no writes.');
}

/** read_only_sql_transaction, and what a standby says to a transaction that is to write. */
const TAKES_NO_WRITES = new Set(['25006', '25001']);

export function saysReadOnly(error: unknown): boolean {
  return TAKES_NO_WRITES.has(sqlState(error) ?? '');
}

function connectionTo(server: string, answerMs: number): ClientConfig {
  return {
    connectionString: server,
    application_name: 'taxclaims-primary',
    connectionTimeoutMillis: answerMs,
  };
}

function nameOf(server: string): string {
  return new URL(server).host;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
