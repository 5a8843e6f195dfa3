import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

/** A PgBouncer in transaction mode, which leads connections to one Postgres. */
export interface PgBouncer extends Part {
  readonly port: number;
  /** Returns the connection URL of a database through PgBouncer. The given URL leads directly to Postgres. */
  via(url: string): string;
  /** Sends a command, for example `PAUSE`, to the console of PgBouncer. */
  command(text: string): Promise<void>;
  /** Starts PgBouncer again after its end, on the same port. */
  start(): Promise<void>;
}

interface PgBouncerOptions extends PartOptions {
  /** The superuser’s connection URL of Postgres, with which PgBouncer reads the passwords of logins. */
  readonly upstream: string;
  /**
   * How many connections PgBouncer opens to Postgres for each database and login; if absent, Debian’s default of 20.
   */
  readonly poolSize?: number;
  /** Settings of PgBouncer that replace those of the default configuration or are added to them. */
  readonly settings?: Readonly<Record<string, string>>;
}

const CONSOLE = { name: 'console', password: 'console' };

/**
 * Starts PgBouncer. The setting `ignore_startup_parameters` is not needed, because the service sends no such
 * parameters.
 */
export async function startPgBouncer({
  dir,
  port,
  upstream,
  poolSize = 20,
  settings = {},
}: PgBouncerOptions): Promise<PgBouncer> {
  const { hostname, port: upstreamPort, username, password: secret } = new URL(upstream);
  const account = await accountOfPostgres();
  await makeFolderFor(account, dir);
  const bound = port ?? (await findFreePort(0));
  const [configuration, users] = [join(dir, 'pgbouncer.ini'), join(dir, 'users.txt')];
  await writeFile(
    users,
    `"${CONSOLE.name}" "${CONSOLE.password}"
"${username}" "${decodeURIComponent(secret)}"
`,
  );
  await writeFile(
    configuration,
    `[databases]
* = host=${hostname} port=${upstreamPort} auth_user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(bound)}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
admin_users = ${CONSOLE.name}
pool_mode = transaction
max_client_conn = 1000
default_pool_size = ${String(poolSize)}
; After a refused connection it asks the server again after so many seconds, and lets everybody wait; 15 by itself.
server_login_retry = 1
${Object.entries(settings)
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
  );
  for (const file of [configuration, users]) {
    if (account !== undefined) await chown(file, account.uid, account.gid);
  }
  const command = async (text: string): Promise<void> => {
    const { name: user, password } = CONSOLE;
    const client = new pg.Client({ host: '127.0.0.1', port: bound, user, password, database: 'pgbouncer' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  let program: Program | undefined;
  const present = (): Program => {
    if (program === undefined) throw new Error('PgBouncer was not started');
    return program;
  };
  const start = async (): Promise<void> => {
    program = await startProgram({
      ...{ program: 'pgbouncer', package: 'pgbouncer', args: [configuration], dir, account },
      answers: () => command('SHOW VERSION').then(() => true),
      // SIGTERM ends PgBouncer at once. Another signal would make it wait until all clients have left.
      signal: 'SIGTERM',
    });
  };
  await start();
  return {
    ...{ port: bound, command, start },
    via(url) {
      const through = new URL(url);
      through.host = `127.0.0.1:${String(bound)}`;
      return through.href;
    },
    pids: () => present().pids(),
    freeze: () => present().freeze(),
    resume: () => present().resume(),
    kill: () => present().kill(),
    close: () => program?.close() ?? Promise.resolve(),
  };
}
