import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { findProgram, startProgram } from './program.ts';
import type { Program } from './program.ts';

/** One Postgres: a primary, or a standby that streams from one. */
export interface Postgres extends Part {
  readonly port: number;
  /** The superuser's password. */
  readonly password: string;
  /** The superuser's address of a database. */
  url(database: string): string;
  /** Starts it where it was, once it has ended. */
  start(): Promise<void>;
  /** Makes a standby anew, whatever has become of it. */
  rebuild(): Promise<void>;
}

export interface PostgresOptions extends PartOptions {
  /** The primary that it is a standby of. */
  readonly standbyOf?: Postgres;
}

const PACKAGE = 'postgresql-15';

export async function startPostgres({ dir, port, standbyOf }: PostgresOptions): Promise<Postgres> {
  const account = await accountOfPostgres();
  await makeFolderFor(account, dirname(dir));
  const bound = port ?? (await freePort(0));
  const password = standbyOf?.password ?? randomBytes(18).toString('base64url');
  const data = join(dir, 'data');
  const url = (database: string): string =>
    `postgres://postgres:${password}@127.0.0.1:${String(bound)}/${database}`;
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await promisify(execFile)(await findProgram(program, PACKAGE), [...args], { cwd: dir, ...account });
  };
  const make = async (): Promise<void> => {
    await makeFolderFor(account, dir);
    if (standbyOf !== undefined) {
      const args = ['--wal-method=stream', '--checkpoint=fast', '--write-recovery-conf', '--no-sync'];
      await run('pg_basebackup', ['-D', data, '-d', standbyOf.url('postgres'), ...args]);
      return;
    }
    const file = join(dir, 'password');
    await writeFile(file, password, { mode: 0o600 });
    if (account !== undefined) await chown(file, account.uid, account.gid);
    await run('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      `--pwfile=${file}`,
      '-A',
      'scram-sha-256',
      '--no-sync',
    ]);
  };
  let program: Program | undefined;
  const present = (): Program => {
    if (program === undefined) throw new Error('this Postgres was not started');
    return program;
  };
  const start = async (): Promise<void> => {
    await rm(join(data, 'postmaster.pid'), { force: true });
    const settings = {
      ...{ listen_addresses: '127.0.0.1', port: String(bound), unix_socket_directories: '' },
      // For a standby that was away.
      ...{ max_connections: '120', wal_keep_size: '512MB', wal_retrieve_retry_interval: '200ms' },
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    program = await startProgram({
      ...{ program: 'postgres', package: PACKAGE, args: ['-D', data, ...flags], dir, account },
      answers: () => answers(url('postgres')),
      // Without waiting for its clients.
      signal: 'SIGINT',
    });
  };
  const close = (): Promise<void> => program?.close() ?? Promise.resolve();
  await make();
  await start();
  return {
    ...{ port: bound, password, url, start, close },
    pids: () => present().pids(),
    freeze: () => present().freeze(),
    resume: () => present().resume(),
    kill: () => present().kill(),
    async rebuild() {
      await close();
      await rm(dir, { recursive: true, force: true });
      await make();
      await start();
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query('select 1')).rowCount === 1;
  } finally {
    await client.end();
  }
}

if (import.meta.main) await runAsScript(startPostgres, (postgres) => postgres.url('postgres'));
