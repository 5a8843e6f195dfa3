import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { withAdmin } from '../../test/support/database.ts';
import { createLogin, dropLogin } from '../database.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import { load } from './load.ts';
import type { HttpRequest } from './load.ts';
import type { Peer, Sample } from './peer.ts';

type Environment = Readonly<Record<string, string>>;

export interface HttpPeerOptions {
  readonly name: string;
  /** The folder in which the compared service starts, and the file that starts it. */
  readonly folder: string;
  readonly main: string;
  readonly environment?: Environment | ((databaseUrl: string) => Environment);
  /**
   * The name and the rights of the login with which the compared service connects, and the address of the same database
   * for a superuser.
   */
  readonly login: string;
  readonly rights: string;
  readonly adminUrl: string;
  readonly request: (origin: string) => HttpRequest;
  readonly ids: (body: unknown) => readonly string[];
  /**
   * The ids of the claims that a right response contains. The benchmark measures no service that gives a wrong
   * response.
   */
  readonly expected: readonly string[];
}

const TIMEOUT_MS = 60_000;
const PAUSE_MS = 100;

/** Starts a compared service as a process of its own, and waits until the service gives the right response. */
export async function startHttpPeer(options: HttpPeerOptions): Promise<Peer> {
  const { adminUrl, login } = options;
  const url = await createLogin(adminUrl, login, options.rights);
  const port = await freePort();
  const request = options.request(`http://127.0.0.1:${port}`);
  const { environment = {} } = options;
  const child = spawn(process.execPath, [options.main], {
    cwd: options.folder,
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', PORT: String(port), DATABASE_URL: url },
      ...(typeof environment === 'function' ? environment(url) : environment),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    await end(child);
    await dropLogin(adminUrl, login);
  };
  try {
    deepEqual(options.ids(await firstAnswer(request, child)), options.expected);
  } catch (error) {
    await stop();
    throw new Error(`the compared service ${options.name} gives no right answer`, { cause: error });
  }
  return {
    name: options.name,
    warmUp: async (seconds) => {
      await load(request, seconds);
    },
    measure: (seconds) => measure(options, request, child.pid ?? 0, seconds),
    stop,
  };
}

async function measure(
  { adminUrl, login }: HttpPeerOptions,
  request: HttpRequest,
  pid: number,
  seconds: number,
): Promise<Sample> {
  return withAdmin(adminUrl, async (admin) => {
    const backends = await backendsOf(admin, login);
    const before = [[pid], backends].map(processorTime);
    const done = await load(request, seconds);
    const [node = 0, postgres = 0] = [[pid], backends].map(
      (pids, index) => ((processorTime(pids) - Number(before[index])) * 1_000) / done.requests,
    );
    return {
      requestsPerSecond: done.requests / done.seconds,
      nodeMicroseconds: node,
      ...(backends.length > 0 && { postgresMicroseconds: postgres }),
      ...{ p50: done.p50, p99: done.p99 },
    };
  });
}

async function firstAnswer({ url, ...init }: HttpRequest, child: ChildProcess): Promise<unknown> {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; ) {
    await delay(PAUSE_MS);
    if (child.exitCode !== null) throw new Error(`the compared service ended with status ${child.exitCode}`);
    const response = await fetch(url, init).catch(() => undefined);
    if (response === undefined) continue;
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${response.status}: ${text}`);
  }
  throw new Error('the compared service never answered');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
