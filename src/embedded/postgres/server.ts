import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, dataDirectory, readCluster, type Cluster } from './cluster.ts';
import { superuserUrl, withClient } from './connect.ts';
import { freePort } from './free-port.ts';
import { clearLeftover } from './leftover.ts';
import { takeLock, type Lock } from './lock.ts';
import { StartFailed, startPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.ts';

const DATABASE = 'taxclaims';
const ATTEMPTS = 40;
const PAUSE_MS = 250;

/** What passes by itself: another program was quicker to take the port, or processes of a killed server linger. */
const PASSING = /could not create any TCP\/IP sockets|shared memory block .* is still in use/;

export interface EmbeddedServer {
  /** The superuser's address of the database `taxclaims`. */
  readonly adminUrl: string;
  readonly port: number;
  /** Where the superuser's password is kept, for its owner alone. */
  readonly passwordFile: string;
  /** Shuts the server down, by whatever means within that time, and gives the folder free; safe to call twice. */
  stop(withinMs?: number): Promise<void>;
}

export interface EmbeddedServerOptions {
  /** The server keeps all it has in `postgres` below it, and nothing elsewhere. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Settings of Postgres for this start. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts a real Postgres, made on the first start, on 127.0.0.1. It listens to no signal: the caller stops it.
 * Whatever an earlier start left behind, killed or not, is put in order first.
 * @throws Error when another process runs it, or it cannot run here.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const folder = join(await realpath(options.dataDir), 'postgres');
  const lock = takeLock(`${folder}.lock`);
  try {
    return await startLocked(folder, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(
  folder: string,
  lock: Lock,
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer> {
  const { settings = {}, log } = options;
  const binaries = findBinaries();
  const account = await chooseAccount(dataDirectory(folder));
  const cluster = (await readCluster(folder)) ?? (await createCluster(folder, binaries, account));
  await clearLeftover(cluster, binaries, account, log);
  const { postmaster, port } = await startInsistently({ cluster, binaries, account, settings }, log);
  const server = runningServer(cluster, postmaster, port, lock, log);
  try {
    await createDatabase(superuserUrl(port, cluster.password, 'postgres'));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function runningServer(
  cluster: Cluster,
  postmaster: Postmaster,
  port: number,
  lock: Lock,
  log: Logger,
): EmbeddedServer {
  let stopped: Promise<void> | undefined;
  const stop = async (withinMs?: number): Promise<void> => {
    await postmaster.stop(withinMs);
    lock.release();
  };
  void postmaster.ended.then(() => {
    if (stopped === undefined) log.error('the embedded Postgres has ended: start again to recover it');
  });
  return {
    adminUrl: superuserUrl(port, cluster.password, DATABASE),
    port,
    passwordFile: cluster.passwordFile,
    stop: (withinMs) => (stopped ??= stop(withinMs)),
  };
}

async function startInsistently(
  options: Omit<PostmasterOptions, 'port'>,
  log: Logger,
): Promise<{ postmaster: Postmaster; port: number }> {
  const remembered = Number(await readFile(options.cluster.portFile, 'utf8').catch(() => '0'));
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(remembered);
    try {
      const postmaster = await startPostmaster({ ...options, port });
      await writeFile(options.cluster.portFile, String(port));
      return { postmaster, port };
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof StartFailed) || !PASSING.test(error.message))
        throw error;
      log.warn({ err: error }, 'the embedded Postgres cannot start yet: trying again');
      await delay(PAUSE_MS);
    }
  }
}

async function createDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}
