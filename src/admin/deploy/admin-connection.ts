import { Socket } from 'node:net';
import pg from 'pg';
import { createClientConfig, explainConnectionError } from '../../db/client-config.ts';
import { parsePostgresAddress } from '../../postgres-address.ts';
import { findPrimary } from '../../db/primary.ts';
import { ADMIN_RESPONSE_TIMEOUT_MS, ADMIN_CLOSE_TIMEOUT_MS, ADMIN_CONNECT_TIMEOUT_MS } from '../../limits.ts';
import { oneLineReason } from '../../single-line.ts';
import { MigrationError } from './migration-error.ts';

/**
 * The administrator's session has no time-outs, but keepalives: the server ends the session if the client disappears.
 */
const ADMIN_SESSION_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  lock_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30000',
};

export type AdminConnection = Awaited<ReturnType<typeof openAdminConnection>>;

export async function findAdminServerUrl(url: string): Promise<string> {
  const { servers } = parsePostgresAddress(url);
  const [single] = servers;
  if (single !== undefined && servers.length === 1) return single;
  return findPrimary(servers, { answerMs: ADMIN_CONNECT_TIMEOUT_MS }).catch((error: unknown) => {
    throw connectionError(error);
  });
}

function connectionError(cause: unknown): MigrationError {
  const reason = oneLineReason(explainConnectionError(cause)).replace(
    /^timeout expired$/,
    `no answer in ${ADMIN_CONNECT_TIMEOUT_MS / 1_000} s`,
  );
  return new MigrationError(`no connection to the database at DATABASE_ADMIN_URL: ${reason}`, { cause });
}

/**
 * Opens a connection that an aborted `ending` destroys: the server then rolls back what the connection has not committed.
 * @throws MigrationError where the server does not answer within ten seconds
 */
export async function openAdminConnection(url: string, application: string, ending?: AbortSignal) {
  const socket = new Socket();
  const client = new pg.Client({
    ...createClientConfig(url),
    application_name: application,
    connectionTimeoutMillis: ADMIN_CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => socket,
  });
  // Without an error listener a lost connection would end the process; the next statement reports the loss.
  client.on('error', () => undefined);
  const destroy = (): void => {
    socket.destroy();
  };
  ending?.addEventListener('abort', destroy, { once: true });
  // Stores the time-out error for later queries, because pg does not tell them why the connection was destroyed.
  let timeout: Error | undefined;
  /** Runs a short query; destroys the connection if the server does not answer within ten seconds. */
  const answered = async <T>(ask: (client: pg.Client) => Promise<T>): Promise<T> => {
    if (timeout !== undefined) throw timeout;
    const timer = setTimeout(() => {
      timeout = new Error(`no answer in ${ADMIN_RESPONSE_TIMEOUT_MS / 1_000} s`);
      socket.destroy(timeout);
    }, ADMIN_RESPONSE_TIMEOUT_MS);
    try {
      return await ask(client);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    await client.connect();
    const close = async (): Promise<void> => {
      const timer = setTimeout(destroy, ADMIN_CLOSE_TIMEOUT_MS);
      await client.end().catch(() => undefined);
      clearTimeout(timer);
    };
    const pid = await answered(applySettings);
    return { client, pid, answered, destroy, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    destroy();
    throw connectionError(error);
  }
}

async function applySettings(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select pg_backend_pid() as pid, array(
        select set_config(s.name, given.value, false)
        from json_each_text($1) as given (name, value)
        join pg_settings as s using (name)
    )`,
    [JSON.stringify(ADMIN_SESSION_SETTINGS)],
  );
  try {
    await client.query(`set client_connection_check_interval = '1s'`);
  } catch {
    // Postgres on Windows lacks client_connection_check_interval: there a killed deploy's statement runs to its end.
  }
  return rows[0]?.pid ?? 0;
}
