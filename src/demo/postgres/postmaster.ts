import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  EMBEDDED_POSTGRES_LOG_BYTES,
  EMBEDDED_POSTGRES_RESTART_PAUSES_MS,
  EMBEDDED_POSTGRES_START_TIMEOUT_MS,
  EMBEDDED_POSTGRES_STOP_TIMEOUT_MS,
} from '../../limits.ts';
import { Backoff } from '../../retries.ts';
import { withTimeout } from '../../timeout.ts';
import type { Cluster } from './cluster.ts';
import { joinLines, spawnInOwnSession } from './command.ts';
import { doesServerAnswer, superuserUrl } from './connect.ts';

export type Postmaster = Awaited<ReturnType<typeof startPostmaster>>;

export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

export interface PostmasterOptions {
  readonly cluster: Cluster;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly ending?: AbortSignal | undefined;
}

/**
 * Starts the Postgres server and waits until it answers. @throws StartFailed with the server's message; the reason of
 * `ending`
 */
export async function startPostmaster(options: PostmasterOptions) {
  const { cluster, port, settings, ending } = options;
  await limitLogSize(cluster.logFile);
  const log = await open(cluster.logFile, 'a+', 0o600);
  try {
    const { size: before } = await log.stat();
    const flags = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      // Postgres opens no Unix socket, because the socket's path in a deep folder would be too long.
      unix_socket_directories: '',
      // In `log_line_prefix`, %a stands for the application name, which contains the request's id.
      log_line_prefix: '%m [%p] %a ',
      ...settings,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { account, binaries, data } = cluster;
    const child = spawnInOwnSession([...account.prefix, binaries.postgres, '-D', data, ...flags], log.fd);
    child.unref();
    const ended: Promise<unknown> = once(child, 'exit').catch(() => undefined);
    const stop = (withinMs?: number): Promise<void> => stopChild(child, ended, withinMs);
    if (await awaitAnswer(options, ended)) return { ended, stop };
    await stop();
    ending?.throwIfAborted();
    throw new StartFailed(`The embedded Postgres did not start: ${await readLogFrom(log, before)}`);
  } finally {
    await log.close();
  }
}

export async function limitLogSize(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= EMBEDDED_POSTGRES_LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

async function awaitAnswer({ cluster, port, ending }: PostmasterOptions, ended: Promise<unknown>): Promise<boolean> {
  const url = superuserUrl(port, cluster.password, 'postgres');
  const deadlineMs = Date.now() + EMBEDDED_POSTGRES_START_TIMEOUT_MS;
  while (Date.now() < deadlineMs && ending?.aborted !== true) {
    if (await Promise.race([doesServerAnswer(url, cluster.data), ended.then(() => false)])) return true;
    if (await endsWithin(ended, 25)) return false;
  }
  return false;
}

async function stopChild(
  child: ChildProcess,
  ended: Promise<unknown>,
  withinMs = EMBEDDED_POSTGRES_STOP_TIMEOUT_MS,
): Promise<void> {
  child.ref();
  child.kill('SIGINT');
  if (await endsWithin(ended, withinMs * 0.7)) return;
  child.kill('SIGQUIT');
  if (await endsWithin(ended, withinMs * 0.2)) return;
  child.kill('SIGKILL');
  await ended;
}

async function endsWithin(ended: Promise<unknown>, limitMs: number): Promise<boolean> {
  const end = ended.then(() => true);
  return withTimeout(limitMs, end, () => new Error('late')).catch(() => false);
}

async function readLogFrom(file: FileHandle, position: number): Promise<string> {
  const { size } = await file.stat();
  const { buffer } = await file.read({ buffer: Buffer.alloc(size - position), position });
  return joinLines(buffer.toString('utf8'));
}

/** Restarts Postgres whenever it ends. Returns a function, callable twice, that stops Postgres for good. */
export function supervisePostmaster(
  first: Postmaster,
  startAgain: (stopping: AbortSignal) => Promise<Postmaster>,
  log: Logger,
): Postmaster['stop'] {
  const controller = new AbortController();
  const { signal } = controller;
  const isStopping = (): boolean => signal.aborted;
  let current = first;

  async function supervise(): Promise<void> {
    const backoff = new Backoff(EMBEDDED_POSTGRES_RESTART_PAUSES_MS);
    backoff.recordSuccess();
    await current.ended;
    while (!isStopping()) {
      log.error('the embedded Postgres is down: starting it again');
      await delay(backoff.nextPauseMs(), undefined, { signal }).catch(() => undefined);
      try {
        signal.throwIfAborted();
        current = await startAgain(signal);
        if (isStopping()) await current.stop();
        else log.warn('the embedded Postgres runs again');
        backoff.recordSuccess();
        await current.ended;
      } catch (err) {
        if (!isStopping()) log.error({ err }, 'the embedded Postgres could not be started again');
      }
    }
  }

  const supervision = supervise();
  return async (withinMs) => {
    controller.abort();
    await current.stop(withinMs);
    await supervision;
  };
}
