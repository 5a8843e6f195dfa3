import { Socket } from 'node:net';
import pg from 'pg';
import { postgresAddress } from '../../postgres-address.ts';
import { findWriting } from '../primary.ts';
import { ADMIN_ANSWER_MS, ADMIN_CLOSE_MS, ADMIN_CONNECT_MS } from '../../limits.ts';
import { MigrationError, reasonOf } from './migration-error.ts';

/**
 * What holds on a connection of the administrator's, whatever its login or its server has by default: no bound on a
 * migration, which may take long, and none on a session that waits for the other one; but the server ends a session
 * within a second of its process, and within half a minute of its network.
 */
const SETTINGS: Readonly<Record<string, string>> = {
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

export interface AdminConnection {
  readonly client: pg.Client;
  readonly pid: number;
  /** For what is answered at once by any server that lives: after ten seconds the connection is let go. */
  answered<T>(ask: (client: pg.Client) => Promise<T>): Promise<T>;
  /** Lets go of it at once: whatever waits on it fails. */
  destroy(): void;
  /** Takes leave, and waits no longer than a few seconds for the answer. */
  close(): Promise<void>;
}

/**
 * The address of the one server on which all of a deploy is done: of several the one that takes writes.
 * @throws MigrationError where none does.
 */
export async function adminServer(url: string): Promise<string> {
  const { servers } = postgresAddress(url);
  const [only] = servers;
  if (only !== undefined && servers.length === 1) return only;
  return findWriting(servers, ADMIN_CONNECT_MS).catch((error: unknown) => {
    throw new MigrationError(`no connection to the database at DATABASE_ADMIN_URL: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

/**
 * A connection of the administrator's, made in ten seconds or not at all.
 * @throws MigrationError when there is none to be had.
 */
export async function openAdminConnection(url: string, application: string): Promise<AdminConnection> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: application,
    connectionTimeoutMillis: ADMIN_CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => socket,
  });
  // A connection that dies between two statements must reject the next one, not end the process.
  client.on('error', () => undefined);
  const destroy = (): void => {
    socket.destroy();
  };
  // Kept, for whoever asks later is told only that the connection is gone.
  let mute: Error | undefined;
  const answered: AdminConnection['answered'] = async (ask) => {
    if (mute !== undefined) throw mute;
    const giveUp = setTimeout(() => {
      mute = new Error(`no answer in ${ADMIN_ANSWER_MS / 1_000} s`);
      socket.destroy(mute);
    }, ADMIN_ANSWER_MS);
    try {
      return await ask(client);
    } finally {
      clearTimeout(giveUp);
    }
  };
  try {
    await client.connect();
    return {
      client,
      pid: await answered(settle),
      answered,
      destroy,
      async close() {
        const giveUp = setTimeout(destroy, ADMIN_CLOSE_MS);
        await client.end().catch(() => undefined);
        clearTimeout(giveUp);
      },
    };
  } catch (error) {
    destroy();
    const reason = reasonOf(error).replace(/^timeout expired$/, `no answer in ${ADMIN_CONNECT_MS / 1_000} s`);
    throw new MigrationError(`no connection to the database at DATABASE_ADMIN_URL: ${reason}`, {
      cause: error,
    });
  }
}

async function settle(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    `select pg_backend_pid() as pid, array(
        select set_config(s.name, given.value, false)
        from json_each_text($1) as given (name, value)
        join pg_settings as s using (name)
    )`,
    [JSON.stringify(SETTINGS)],
  );
  try {
    await client.query(`set client_connection_check_interval = '1s'`);
  } catch {
    // A server on Windows cannot look for that: there a statement of a process that was killed runs to its end.
  }
  return rows[0]?.pid ?? 0;
}
