import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FileLock } from '../../file-lock.ts';
import { EMBEDDED_LOG_MS, EMBEDDED_TAKEN_ATTEMPTS, EMBEDDED_TAKEN_MS } from '../../limits.ts';
import { type Housekeeping, regularly } from '../../regularly.ts';
import { openDataDir } from '../data-dir.ts';
import { chooseAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { dataDirectory, openCluster, type Cluster } from './cluster.ts';
import { superuserUrl, withClient } from './connect.ts';
import { freePort } from './free-port.ts';
import { clearLeftover, forgetServer } from './leftover.ts';
import { takeLock } from './lock.ts';
import { boundLog } from './log-file.ts';
import { StartFailed, startPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.ts';
import { supervise, type Supervised } from './supervise.ts';

const DATABASE = 'taxclaims';

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
  /** How often the length of its log is looked at. */
  readonly logLookMs?: number;
  /** Ends the start early; what runs already, `stop` ends. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Starts a real Postgres, made on the first start, on 127.0.0.1, and starts it again whenever it ends. It listens to no
 * signal: the caller stops it. Whatever an earlier start left behind, killed or not, is put in order first.
 * @throws Error in one line when another process runs it, or it cannot run here.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const dataDir = await openDataDir(options.dataDir);
  const lock = takeLock(lockIn(dataDir));
  try {
    return await startLocked(join(dataDir, 'postgres'), lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @throws Error in one line where another process runs a server in this folder just now. */
export function assertUnused(dataDir: string): void {
  takeLock(lockIn(dataDir)).release();
}

function lockIn(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

async function startLocked(
  folder: string,
  lock: FileLock,
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer> {
  const { settings = {}, log, ending, logLookMs = EMBEDDED_LOG_MS } = options;
  const binaries = findBinaries();
  const account = await chooseAccount(dataDirectory(folder), binaries);
  const cluster = await openCluster(folder, binaries, account, ending);
  await clearLeftover(cluster, binaries, account, log);
  const start = { cluster, binaries, account, settings };
  const { postmaster, port } = await startInsistently({ ...start, ending }, log);
  const supervised = supervise(
    postmaster,
    async (stopping) => {
      await forgetServer(cluster);
      // The same port, or those who are connected would never find it.
      return startPostmaster({ ...start, port, ending: stopping });
    },
    log,
  );
  const bounding = regularly(
    () => boundLog(cluster.logFile),
    'the log of the embedded Postgres cannot be shortened',
    log,
    logLookMs,
  );
  const server = runningServer(cluster, supervised, port, lock, bounding);
  try {
    await prepareDatabases(superuserUrl(port, cluster.password, 'postgres'));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function runningServer(
  cluster: Cluster,
  supervised: Supervised,
  port: number,
  lock: FileLock,
  bounding: Housekeeping,
): EmbeddedServer {
  let stopped: Promise<void> | undefined;
  const stop = async (withinMs?: number): Promise<void> => {
    await bounding.close();
    await supervised.stop(withinMs);
    lock.release();
  };
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
    options.ending?.throwIfAborted();
    const port = await freePort(remembered);
    await writeFile(options.cluster.portFile, String(port));
    try {
      return { postmaster: await startPostmaster({ ...options, port }), port };
    } catch (error) {
      if (
        attempt === EMBEDDED_TAKEN_ATTEMPTS ||
        !(error instanceof StartFailed) ||
        !PASSING.test(error.message)
      )
        throw error;
      log.warn({ err: error }, 'the embedded Postgres cannot start yet: trying again');
      await delay(EMBEDDED_TAKEN_MS);
    }
  }
}

/** Makes the service's database, and closes those that come with Postgres: the server is the service's alone. */
async function prepareDatabases(url: string): Promise<void> {
  await withClient(url, async (client) => {
    // A standby has them as its primary left them.
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database
       where datname in ('postgres', 'template1')
         and has_database_privilege('public', oid, 'CONNECT')
         and not pg_is_in_recovery()`,
    );
    for (const { datname } of rows) {
      await client.query(`revoke connect, temporary on database ${datname} from public`);
    }
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}
