import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { findProgram, startProgram } from './program.ts';

export interface Postgres extends Part {
  url(database: string): string;
}

const PACKAGE = 'postgresql-15';

export async function startPostgres({ dir, port }: PartOptions): Promise<Postgres> {
  const account = await accountOfPostgres();
  await makeFolderFor(account, dirname(dir));
  const bound = port ?? (await findFreePort(0));
  const password = randomBytes(18).toString('base64url');
  const data = join(dir, 'data');
  const url = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${String(bound)}/${database}`;
  await makeFolderFor(account, dir);
  const file = join(dir, 'password');
  await writeFile(file, password, { mode: 0o600 });
  if (account !== undefined) await chown(file, account.uid, account.gid);
  const args = ['-D', data, '-U', 'postgres', `--pwfile=${file}`, '-A', 'scram-sha-256', '--no-sync'];
  await promisify(execFile)(await findProgram('initdb', PACKAGE), args, { cwd: dir, ...account });
  const settings = {
    ...{ listen_addresses: '127.0.0.1', port: String(bound), unix_socket_directories: '' },
    max_connections: '120',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = await startProgram({
    ...{ program: 'postgres', package: PACKAGE, args: ['-D', data, ...flags], dir, account },
    answers: () => answers(url('postgres')),
    // SIGINT makes Postgres end at once, even if clients are still connected.
    signal: 'SIGINT',
  });
  return { ...program, url };
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
