import type { Logger } from 'pino';
import { parsePostgresAddress } from '../postgres-address.ts';
import { createClientConfig, explainConnectionError } from './client-config.ts';
import { createCachedFunction } from '../retries.ts';
import { withTimeout } from '../timeout.ts';
import { Connection } from './connection.ts';
import { DatabaseUnavailable, sqlState } from './errors.ts';
import { PRIMARY_CHECK_TIMEOUT_MS, PRIMARY_SEARCH_PAUSE_MS } from '../limits.ts';

export type PrimaryTracker = ReturnType<typeof trackPrimary>;

/**
 * Tracks which server of a database URL accepts writes.
 * @param onChange gets the host of each new primary
 * @param passwordFile the file with the login's password, which is read for each connection
 */
export function trackPrimary(url: string, onChange: (server: string) => void, passwordFile?: string) {
  const { servers, requiresPrimary } = parsePostgresAddress(url);
  const [first = url] = servers;
  const isSingle = servers.length === 1;
  let current = isSingle ? first : undefined;
  let latest: string | undefined;

  const findOnce = createCachedFunction(
    async () => {
      current = await findPrimary(servers, { passwordFile });
      if (current !== latest) onChange(parseServerHost(current));
      latest = current;
    },
    0,
    PRIMARY_SEARCH_PAUSE_MS,
  );

  return {
    /**
     * True if the pool must ask on each new connection whether the server accepts writes, because the former primary
     * may be a standby by now.
     */
    mustVerifyWrites: requiresPrimary,
    passwordFile,
    /** The URL of the primary; undefined after a failure until `find` has asked the servers again. */
    get current() {
      return current;
    },
    /** The last known primary; before any server has answered, the first server in the database URL. */
    get latest() {
      return latest ?? first;
    },
    /** If the primary is unknown, asks all servers at once. @throws DatabaseUnavailable where none takes writes */
    async find() {
      if (current === undefined) await findOnce();
    },
    reportFailure(server: string) {
      if (server === current && !isSingle) current = undefined;
    },
  };
}

export function primaryLogger(log: Logger): (server: string) => void {
  return (server) => {
    log.info({ server }, 'this database server accepts writes');
  };
}

export async function findPrimary(
  servers: readonly string[],
  { answerMs = PRIMARY_CHECK_TIMEOUT_MS, passwordFile }: { answerMs?: number; passwordFile?: string | undefined } = {},
): Promise<string> {
  const connections = servers.map(
    (server) =>
      new Connection({
        ...createClientConfig(server, passwordFile),
        application_name: 'taxclaims-primary',
        connectionTimeoutMillis: answerMs,
      }),
  );
  const checks = connections.map(async (connection, index) => {
    connection.on('error', () => undefined);
    await connection.connect();
    await assertAcceptsWrites(connection, answerMs);
    return servers[index] ?? '';
  });
  try {
    return await Promise.any(checks);
  } catch (cause) {
    const { errors } = cause as AggregateError;
    const texts = servers.map(
      (server, index) => `${parseServerHost(server)}: ${errorText(explainConnectionError(errors[index]))}`,
    );
    throw new DatabaseUnavailable(`None of the servers takes writes (${texts.join('; ')}).`, { cause });
  } finally {
    for (const connection of connections) connection.end(() => undefined);
  }
}

export async function assertAcceptsWrites(connection: Connection, answerMs = PRIMARY_CHECK_TIMEOUT_MS): Promise<void> {
  const { rows } = await withTimeout(
    answerMs,
    connection.query<{ transaction_read_only: string }>('show transaction_read_only'),
    () => {
      connection.destroy();
      return new DatabaseUnavailable('The database did not answer in time.');
    },
  );
  if (rows[0]?.transaction_read_only !== 'off') throw new DatabaseUnavailable('It takes no writes.');
}

/** SQLSTATEs of a standby that refuses a write or a setting: read_only_sql_transaction, active_sql_transaction. */
const READ_ONLY_SQLSTATES = new Set(['25006', '25001']);

export function isReadOnlyError(error: unknown): boolean {
  return READ_ONLY_SQLSTATES.has(sqlState(error) ?? '');
}

function parseServerHost(server: string): string {
  return new URL(server).host;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
