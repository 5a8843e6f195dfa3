import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAccount } from '../../src/embedded/postgres/account.ts';
import type { Account } from '../../src/embedded/postgres/account.ts';
import { findBinaries } from '../../src/embedded/postgres/binaries.ts';
import type { Binaries } from '../../src/embedded/postgres/binaries.ts';
import { dataDirectory, openCluster } from '../../src/embedded/postgres/cluster.ts';
import type { Cluster as Files } from '../../src/embedded/postgres/cluster.ts';
import { run } from '../../src/embedded/postgres/command.ts';
import { superuserUrl } from '../../src/embedded/postgres/connect.ts';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { startPostmaster } from '../../src/embedded/postgres/postmaster.ts';
import type { Postmaster } from '../../src/embedded/postgres/postmaster.ts';
import { withAdmin } from '../support/database.ts';
import { isAlive, killTree, sendTo, signalTree } from './processes.ts';

/** A Postgres that can be hurt: its processes are stopped, killed and started again as an operator's would be. */
export interface Cluster {
  readonly port: number;
  /** Postgres's own data directory. */
  readonly data: string;
  /** The superuser's address of the database `postgres`. */
  readonly adminUrl: string;
  /** Stops every process where it stands, until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** kill -9 of the postmaster; its children end by themselves. */
  killPostmaster(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and starts it as a standby of nobody, which only reads. */
  startAsStandby(): Promise<void>;
  remove(): Promise<void>;
}

export async function createScratchCluster(folder: string): Promise<Cluster> {
  await mkdir(folder, { recursive: true });
  const place = join(folder, 'postgres');
  return clusterIn(folder, await openCluster(place, ...(await programsFor(place)), undefined), {
    // For standbys that were away.
    wal_keep_size: '256MB',
  });
}

/** A standby that streams from a running cluster, from a copy of it that was taken as pg_basebackup takes it. */
export async function createStandby(primary: Cluster, folder: string): Promise<Cluster> {
  const place = join(folder, 'postgres');
  await mkdir(place, { recursive: true });
  const password = decodeURIComponent(new URL(primary.adminUrl).password);
  await writeFile(join(place, 'password'), password);
  const data = dataDirectory(place);
  await withAdmin(primary.adminUrl, async (admin) => {
    await admin.query(`select pg_backup_start('standby', true)`);
    await run(['cp', '-a', primary.data, data]);
    const { rows } = await admin.query<{ label: string }>('select labelfile as label from pg_backup_stop()');
    await rm(join(data, 'postmaster.pid'));
    await writeFile(join(data, 'backup_label'), rows[0]?.label ?? '');
    await writeFile(join(data, 'standby.signal'), '');
  });
  const [binaries, account] = await programsFor(place);
  for (const name of ['backup_label', 'standby.signal']) await chown(join(data, name), account.uid, -1);
  return clusterIn(folder, await openCluster(place, binaries, account, undefined), {
    primary_conninfo: `host=127.0.0.1 port=${String(primary.port)} user=postgres password=${password}`,
    wal_retrieve_retry_interval: '100ms',
    wal_keep_size: '256MB',
  });
}

async function programsFor(place: string): Promise<[Binaries, Account]> {
  const binaries = findBinaries();
  return [binaries, await chooseAccount(dataDirectory(place), binaries)];
}

async function clusterIn(
  folder: string,
  cluster: Files,
  further: Readonly<Record<string, string>>,
): Promise<Cluster> {
  const [binaries, account] = await programsFor(join(folder, 'postgres'));
  const port = await freePort(0);
  // An acknowledged write must survive a killed server, so nothing of that is switched off, as it is in other tests.
  const settings = { max_connections: '60', autovacuum: 'off', ...further };
  let postmaster: Postmaster | undefined;
  let pid = 0;

  const start = async (): Promise<void> => {
    postmaster = await startPostmaster({ cluster, binaries, account, port, settings });
    pid = Number((await readFile(join(cluster.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  };
  const stop = async (): Promise<void> => {
    await postmaster?.stop();
  };
  await start();
  // Also where the run is ended in the middle.
  process.on('exit', () => {
    sendTo(pid, 'SIGQUIT');
  });

  return {
    port,
    data: cluster.data,
    adminUrl: superuserUrl(port, cluster.password, 'postgres'),
    freeze: () => signalTree(pid, 'SIGSTOP'),
    thaw: () => signalTree(pid, 'SIGCONT'),
    async killPostmaster() {
      const children = await killTree(pid, 'root alone');
      await postmaster?.ended;
      // Until they are gone their shared memory keeps the next one from starting.
      while (children.some(isAlive)) await delay(10);
      await rm(join(cluster.data, 'postmaster.pid'), { force: true });
    },
    stop,
    start,
    async startAsStandby() {
      await stop();
      await writeFile(join(cluster.data, 'standby.signal'), '', { mode: 0o600 });
      await start();
    },
    async remove() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
