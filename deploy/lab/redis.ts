import { mkdir } from 'node:fs/promises';
import { createClient } from '@redis/client';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { startProgram } from './program.ts';

export interface Redis extends Part {
  readonly url: string;
  readonly port: number;
  /** Sends a command to Redis, for example one that the service itself never uses. */
  ask(...words: string[]): Promise<unknown>;
}

interface RedisOptions extends PartOptions {
  /** The password of Redis. If it is absent, every client that reaches Redis can use it. */
  readonly password?: string;
  /** The files with the certificate and the key of Redis. If they are given, Redis accepts only TLS connections. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/**
 * Starts a Redis that stores nothing on disk, because the service only uses Redis to count the requests of the last
 * minute.
 */
export async function startRedis({ dir, port, password, tls }: RedisOptions): Promise<Redis> {
  await mkdir(dir, { recursive: true });
  const bound = port ?? (await findFreePort(0));
  const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  const url = `${tls === undefined ? 'redis' : 'rediss'}://${login}127.0.0.1:${bound}`;
  const ask = async (...words: string[]): Promise<unknown> => {
    const client = createClient({
      url,
      socket: tls ? { tls: true, rejectUnauthorized: false, reconnectStrategy: false } : { reconnectStrategy: false },
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand(words);
    } finally {
      if (client.isOpen) client.destroy();
    }
  };
  const program = await startProgram({
    ...{ program: 'redis-server', package: 'redis-server', dir },
    args: [
      ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir],
      ...(tls === undefined ? ['--port', String(bound)] : ofTls(bound, tls)),
      ...(password === undefined ? [] : ['--requirepass', password]),
    ],
    answers: async () => (await ask('PING')) === 'PONG',
  });
  return Object.assign(program, { url, port: bound, ask });
}

function ofTls(port: number, { certificate, key }: NonNullable<RedisOptions['tls']>): string[] {
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
  ];
}

if (import.meta.main) await runAsScript(startRedis, ({ url }) => url);
