import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { EMBEDDED_LOG_BYTES, EMBEDDED_START_MS, EMBEDDED_STOP_MS } from '../../limits.ts';
import type { Cluster } from './cluster.ts';
import { oneLine, spawnApart } from './command.ts';
import { answers, superuserUrl } from './connect.ts';

export interface Postmaster {
  readonly ended: Promise<void>;
  stop(withinMs?: number): Promise<void>;
}

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
 * Starts the server on a cluster and waits until it answers a query.
 * @throws StartFailed with the server's words when it ends instead; the signal's reason where that ended it.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { cluster, port, settings, ending } = options;
  await boundLog(cluster.logFile);
  const log = await open(cluster.logFile, 'a+', 0o600);
  try {
    const { size: before } = await log.stat();
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      // The path of a socket below a deep folder would be too long.
      unix_socket_directories: '',
      // With the id of the request that a statement belongs to.
      log_line_prefix: '%m [%p] %a ',
      ...settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const { account, binaries, data } = cluster;
    const child = spawnApart([...account.prefix, binaries.postgres, '-D', data, ...flags], log.fd);
    child.unref();
    const ended = once(child, 'exit').then(
      () => undefined,
      () => undefined,
    );
    const stop = (withinMs?: number): Promise<void> => stopChild(child, ended, withinMs);
    if (await untilAnswering(options, ended)) return { ended, stop };
    await stop();
    ending?.throwIfAborted();
    throw new StartFailed(`The embedded Postgres did not start: ${await readFrom(log, before)}`);
  } finally {
    await log.close();
  }
}

/** Puts a long log aside; the server goes on appending. */
export async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= EMBEDDED_LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

async function untilAnswering(
  { cluster, port, ending }: PostmasterOptions,
  ended: Promise<void>,
): Promise<boolean> {
  const url = superuserUrl(port, cluster.password, 'postgres');
  const deadline = Date.now() + EMBEDDED_START_MS;
  while (Date.now() < deadline && ending?.aborted !== true) {
    // A stranger on that port may leave the probe without an answer for a while.
    if (await Promise.race([answers(url, cluster.data), ended.then(() => false)])) return true;
    if (await endsWithin(ended, 25)) return false;
  }
  return false;
}

/** A frozen server heeds SIGKILL alone. */
async function stopChild(
  child: ChildProcess,
  ended: Promise<void>,
  withinMs = EMBEDDED_STOP_MS,
): Promise<void> {
  child.ref();
  child.kill('SIGINT');
  if (await endsWithin(ended, withinMs * 0.7)) return;
  child.kill('SIGQUIT');
  if (await endsWithin(ended, withinMs * 0.2)) return;
  child.kill('SIGKILL');
  await ended;
}

async function endsWithin(ended: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const first = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return first;
}

async function readFrom(file: FileHandle, position: number): Promise<string> {
  const { size } = await file.stat();
  const { buffer } = await file.read({ buffer: Buffer.alloc(size - position), position });
  return oneLine(buffer.toString('utf8'));
}
