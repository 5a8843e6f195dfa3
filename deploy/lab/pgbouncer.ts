import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../src/embedded/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

/** PgBouncer in transaction mode before one Postgres. */
export interface PgBouncer extends Part {
  readonly port: number;
  /** The same address through PgBouncer. */
  via(url: string): string;
  /** A command of its console, such as `PAUSE`. */
  command(text: string): Promise<void>;
  /** Starts it where it was, once it has ended. */
  start(): Promise<void>;
}

export interface PgBouncerOptions extends PartOptions {
  /** The superuser's address: it asks the server for the passwords of whoever logs in. */
  readonly upstream: string;
  /** Server connections for each database and login; Debian's own 20 when absent. */
  readonly poolSize?: number;
  /** What its configuration says beside, or instead. */
  readonly settings?: Readonly<Record<string, string>>;
}

const CONSOLE = { name: 'console', password: 'console' };

/** Nothing stands in `ignore_startup_parameters`: the service needs none. */
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
      // An immediate shutdown: otherwise it would wait for connected clients.
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
