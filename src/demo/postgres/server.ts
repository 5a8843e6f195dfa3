import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type FileLock, lockFile } from '../../file-lock.ts';
import {
  EMBEDDED_POSTGRES_LOG_CHECK_PAUSE_MS,
  OCCUPIED_CLUSTER_ATTEMPTS,
  OCCUPIED_CLUSTER_RETRY_MS,
} from '../../limits.ts';
import { runPeriodically } from '../../periodic-task.ts';
import { dataDirError, openDataDir } from '../../data-dir.ts';
import { openCluster } from './cluster.ts';
import { superuserUrl, withClient } from './connect.ts';
import { findFreePort } from './free-port.ts';
import { stopLeftoverServer, removePidFile } from './leftover.ts';
import {
  limitLogSize,
  StartFailed,
  startPostmaster,
  supervisePostmaster,
  type PostmasterOptions,
} from './postmaster.ts';

const DATABASE_NAME = 'taxclaims';

/** Start errors that soon disappear: another program has taken the port, or a killed server is still ending. */
const TRANSIENT_FAILURE_PATTERN = /could not create any TCP\/IP sockets|shared memory block .* is still in use/;

export type EmbeddedServer = Awaited<ReturnType<typeof startEmbeddedServer>>;

export interface EmbeddedServerOptions {
  readonly dataDir: string;
  readonly log: Logger;
  readonly settings?: Readonly<Record<string, string>>;
  readonly logCheckMs?: number;
  readonly ending?: AbortSignal | undefined;
}

/** Starts Postgres on 127.0.0.1, and restarts it whenever it ends. @throws Error in one line */
export async function startEmbeddedServer(options: EmbeddedServerOptions) {
  const dataDir = await openDataDir(options.dataDir);
  const lock = lockDataDir(dataDir);
  try {
    return await startServerInLockedFolder(join(dataDir, 'postgres'), lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

export function assertDataDirUnused(dataDir: string): void {
  lockDataDir(dataDir).release();
}

function lockDataDir(dataDir: string): FileLock {
  try {
    const lock = lockFile(join(dataDir, 'postgres.lock'));
    if (lock !== undefined) return lock;
  } catch (cause) {
    throw dataDirError(dataDir, new Error(`postgres.lock cannot be locked, ${String(cause)}`, { cause }));
  }
  throw new Error(
    `DATA_DIR ${dataDir} is in use: another process has locked postgres.lock. Does the service already run there?`,
  );
}

async function startServerInLockedFolder(
  folder: string,
  lock: FileLock,
  { settings = {}, log, ending, logCheckMs = EMBEDDED_POSTGRES_LOG_CHECK_PAUSE_MS }: EmbeddedServerOptions,
) {
  const cluster = await openCluster(folder, ending);
  await stopLeftoverServer(cluster, log);
  const { postmaster, port } = await startPostmasterWithRetries({ cluster, settings, ending }, log);
  const stopPostmaster = supervisePostmaster(
    postmaster,
    async (stopping) => {
      await removePidFile(cluster);
      return startPostmaster({ cluster, settings, port, ending: stopping });
    },
    log,
  );
  const failure = 'the log of the embedded Postgres cannot be shortened';
  const limiter = runPeriodically(() => limitLogSize(cluster.logFile), failure, log, logCheckMs);
  let stopped: Promise<void> | undefined;
  const stopAndUnlock = async (withinMs?: number): Promise<void> => {
    await limiter.close();
    await stopPostmaster(withinMs);
    lock.release();
  };
  const server = {
    adminUrl: superuserUrl(port, cluster.password, DATABASE_NAME),
    port,
    passwordFile: cluster.passwordFile,
    stop: (withinMs?: number): Promise<void> => (stopped ??= stopAndUnlock(withinMs)),
  };
  try {
    await prepareDatabases(superuserUrl(port, cluster.password, 'postgres'));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startPostmasterWithRetries(options: Omit<PostmasterOptions, 'port'>, log: Logger) {
  const { portFile } = options.cluster;
  const previous = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  for (let attempt = 1; ; attempt += 1) {
    options.ending?.throwIfAborted();
    const port = await findFreePort(previous);
    await writeFile(portFile, String(port));
    try {
      return { postmaster: await startPostmaster({ ...options, port }), port };
    } catch (error) {
      const isTransient = error instanceof StartFailed && TRANSIENT_FAILURE_PATTERN.test(error.message);
      if (attempt === OCCUPIED_CLUSTER_ATTEMPTS || !isTransient) throw error;
      log.warn({ err: error }, 'the embedded Postgres cannot start yet: trying again');
      await delay(OCCUPIED_CLUSTER_RETRY_MS);
    }
  }
}

/** Creates the service's database, and revokes public access to the databases `postgres` and `template1`. */
async function prepareDatabases(url: string): Promise<void> {
  await withClient(url, async (client) => {
    // Skips the revokes on a standby, because a standby accepts no writes.
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database
       where datname in ('postgres', 'template1')
         and has_database_privilege('public', oid, 'CONNECT')
         and not pg_is_in_recovery()`,
    );
    for (const { datname } of rows) {
      await client.query(`revoke connect, temporary on database ${datname} from public`);
    }
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE_NAME]);
    if (rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  });
}
