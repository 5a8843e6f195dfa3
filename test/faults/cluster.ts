import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openCluster } from '../../src/demo/postgres/cluster.ts';
import { superuserUrl } from '../../src/demo/postgres/connect.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { startPostmaster } from '../../src/demo/postgres/postmaster.ts';
import type { Postmaster } from '../../src/demo/postgres/postmaster.ts';
import { isAlive, killTree, sendTo, signalTree } from './processes.ts';

/** A Postgres server that a test can freeze, kill, stop and start again. */
export interface Cluster {
  readonly port: number;
  /** The connection URL of the superuser for the database `postgres`. */
  readonly adminUrl: string;
  /** Stops every process of the Postgres server with SIGSTOP until `thaw`. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills the postmaster with SIGKILL, after which the other Postgres processes end by themselves. */
  killPostmaster(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Restarts Postgres as a standby that follows no primary. Such a standby answers reads and refuses all writes. */
  startAsStandby(): Promise<void>;
  remove(): Promise<void>;
}

export async function createScratchCluster(folder: string): Promise<Cluster> {
  await mkdir(folder, { recursive: true });
  const place = join(folder, 'postgres');
  const cluster = await openCluster(place);
  const port = await findFreePort(0);
  // This Postgres writes to the disk at each commit, although other tests switch this off. The test kills the server,
  // and an acknowledged write must survive that.
  const settings = { max_connections: '60', autovacuum: 'off' };
  let postmaster: Postmaster | undefined;
  let pid = 0;

  const start = async (): Promise<void> => {
    postmaster = await startPostmaster({ cluster, port, settings });
    pid = Number((await readFile(join(cluster.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  };
  const stop = async (): Promise<void> => {
    await postmaster?.stop();
  };
  await start();
  // Stops the Postgres server when the process exits, even if a user interrupts the tests.
  process.on('exit', () => {
    sendTo(pid, 'SIGQUIT');
  });

  return {
    port,
    adminUrl: superuserUrl(port, cluster.password, 'postgres'),
    freeze: () => signalTree(pid, 'SIGSTOP'),
    thaw: () => signalTree(pid, 'SIGCONT'),
    async killPostmaster() {
      const children = await killTree(pid, 'root alone');
      await postmaster?.ended;
      // A killed Postgres server keeps its shared memory until its last child process ends. Until then no new server
      // can start.
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
