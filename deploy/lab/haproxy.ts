import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';

const CONFIGURATIONS = join(import.meta.dirname, '..', 'haproxy');

export interface Haproxy extends Part {
  readonly port: number;
  /** Sends a command to HAProxy’s control socket, and returns the answer. */
  ask(command: string): Promise<string>;
}

interface HaproxyOptions extends PartOptions {
  /** A configuration file in `deploy/haproxy`. Such a file takes all addresses from environment variables. */
  readonly configuration: 'api.cfg' | 'postgres.cfg';
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts HAProxy with a configuration from `deploy/haproxy`. Resolves once HAProxy accepts connections. */
export async function startHaproxy({ dir, port, configuration, environment }: HaproxyOptions): Promise<Haproxy> {
  await mkdir(dir, { recursive: true });
  const bound = port ?? (await findFreePort(0));
  const bind = `127.0.0.1:${bound}`;
  const socket = join(dir, 'admin.sock');
  const ask = async (command: string): Promise<string> => {
    const connection = connect(socket).setEncoding('utf8');
    let answer = '';
    connection.on('data', (text: string) => (answer += text));
    connection.write(`${command}\n`);
    await once(connection, 'end');
    return answer;
  };
  const program = await startProgram({
    ...{ program: 'haproxy', package: 'haproxy', dir },
    // HAProxy runs in the foreground as one process, so that the test can kill it.
    args: ['-db', '-f', join(CONFIGURATIONS, configuration)],
    env: { API_BIND: bind, POSTGRES_BIND: bind, ADMIN_SOCKET: socket, ...environment },
    answers: async () => (await ask('show info')).includes('Version'),
    // SIGTERM ends HAProxy at once. A softer signal would wait for the open connections of a connection pool, which
    // never end.
    signal: 'SIGTERM',
  });
  return Object.assign(program, { port: bound, ask });
}
