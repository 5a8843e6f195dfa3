import type { ChildProcess } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { oneLine, spawnApart } from './command.ts';
import { answers, superuserUrl } from './connect.ts';
import { EMBEDDED_START_MS, EMBEDDED_STOP_MS } from '../../limits.ts';
import { boundLog } from './log-file.ts';

export interface Postmaster {
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(withinMs?: number): Promise<void>;
}

/** The server ended before it answered. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

export interface PostmasterOptions {
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly account: Account;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Ends the start early. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Starts the server on a cluster and waits until it answers a query.
 * @throws StartFailed with what the server wrote when it ends instead; the signal's own reason where that ended it.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  await boundLog(options.cluster.logFile);
  const log = await open(options.cluster.logFile, 'a+', 0o600);
  try {
    const { size: before } = await log.stat();
    const child = launch(options, log);
    const ended = whenEnded(child);
    const stop = (withinMs?: number): Promise<void> => stopChild(child, ended, withinMs);
    if (await untilAnswering(options, ended)) return { ended, stop };
    await stop();
    options.ending?.throwIfAborted();
    throw new StartFailed(`The embedded Postgres did not start: ${await readFrom(log, before)}`);
  } finally {
    await log.close();
  }
}

function launch(
  { cluster, binaries, account, port, settings }: PostmasterOptions,
  log: FileHandle,
): ChildProcess {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // None at all: the path of a socket below a deep folder would be too long.
    unix_socket_directories: '',
    // With the id of the request that a statement belongs to.
    log_line_prefix: '%m [%p] %a ',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [...account.prefix, binaries.postgres, '-D', cluster.data, ...flags];
  const child = spawnApart(command, log.fd);
  child.unref();
  return child;
}

function whenEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.once('error', () => {
      resolve();
    });
  });
}

async function untilAnswering(
  { cluster, port, ending }: PostmasterOptions,
  ended: Promise<void>,
): Promise<boolean> {
  const url = superuserUrl(port, cluster.password, 'postgres');
  const deadline = Date.now() + EMBEDDED_START_MS;
  while (Date.now() < deadline && ending?.aborted !== true) {
    // Where a stranger listens there in its place, nothing may answer for a while.
    if (await Promise.race([answers(url, cluster.data), ended.then(() => false)])) return true;
    if (await endsWithin(ended, 25)) return false;
  }
  return false;
}

/** Fast mode; then without waiting for a checkpoint; then whatever it takes, which even a frozen server heeds. */
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
