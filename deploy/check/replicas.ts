import { withAdmin } from '../../test/support/database.ts';
import { sendTo } from '../../test/faults/processes.ts';
import { startPostgres } from '../lab/postgres.ts';
import type { Postgres } from '../lab/postgres.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import { frontOf } from './front.ts';
import type { World } from './world.ts';

/** A primary and two standbys, which two instances behind HAProxy read from. */
interface Cluster {
  readonly primary: Postgres;
  readonly standbys: readonly [Postgres, Postgres];
  close(): Promise<void>;
}

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  readonly holdMs: number;
  /** Gives what mends it. */
  begin: (cluster: Cluster) => Promise<() => Promise<void>>;
}

/** No request fails because of a standby: whatever one does not answer, the primary does. */
const NONE: Bounds = { failed: 0 };

const BREAKS: readonly Break[] = [
  {
    ...{ name: 'a standby stopped, and back', bounds: NONE, holdMs: 5_000 },
    async begin({ standbys: [standby] }) {
      await standby.close();
      return () => standby.start();
    },
  },
  {
    ...{ name: 'a standby killed, and back', bounds: NONE, holdMs: 5_000 },
    async begin({ standbys: [standby] }) {
      await standby.kill();
      return () => standby.start();
    },
  },
  {
    ...{ name: 'both standbys frozen, and back', bounds: NONE, holdMs: 8_000 },
    async begin({ standbys }) {
      for (const standby of standbys) await standby.freeze();
      return async () => {
        for (const standby of standbys) await standby.resume();
      };
    },
  },
  {
    ...{ name: 'both standbys lag by 3 s', bounds: NONE, holdMs: 12_000 },
    begin: ({ standbys }) => setting(standbys, 'recovery_min_apply_delay', '3s'),
  },
  {
    ...{ name: 'both standbys lag by 20 s', bounds: NONE, holdMs: 25_000 },
    begin: ({ standbys }) => setting(standbys, 'recovery_min_apply_delay', '20s'),
  },
  {
    ...{ name: 'the receiver of a standby frozen, and back', bounds: NONE, holdMs: 8_000 },
    async begin({ standbys: [standby] }) {
      const pid = await withAdmin(standby.url('postgres'), async (admin) => {
        const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_wal_receiver');
        return rows[0]?.pid ?? 0;
      });
      sendTo(pid, 'SIGSTOP');
      return () => {
        sendTo(pid, 'SIGCONT');
        return Promise.resolve();
      };
    },
  },
  {
    ...{ name: 'a standby promoted, and made anew', bounds: NONE, holdMs: 5_000 },
    async begin({ standbys: [standby] }) {
      await withAdmin(standby.url('postgres'), (admin) => admin.query('select pg_promote(true, 30)'));
      return () => standby.rebuild();
    },
  },
  {
    ...{ name: 'the primary killed, and back', bounds: { backAfterMs: 15_000 }, holdMs: 1_000 },
    async begin({ primary }) {
      await primary.kill();
      return () => primary.start();
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  part: 'replicas',
  fault: one.name,
  bounds: one.bounds,
  run: (world: World) => tryBreak(world, one),
}));

async function tryBreak(world: World, { begin, holdMs }: Break): Promise<Result> {
  const cluster = await world.once('replicas', startCluster);
  const { primary, standbys } = cluster;
  return world.underLoad({
    adminUrl: (database) => Promise.resolve(primary.url(database)),
    environment: ({ name, password, database }) => {
      const at = ({ port }: Postgres): string =>
        `postgres://${name}:${password}@127.0.0.1:${String(port)}/${database}`;
      return { DATABASE_URL: at(primary), DATABASE_REPLICA_URLS: standbys.map(at).join() };
    },
    instances: 2,
    front: frontOf,
    break: () => begin(cluster),
    holdMs,
  });
}

async function startCluster(dir: string): Promise<Cluster> {
  const primary = await startPostgres({ dir: `${dir}/primary` });
  const standbys = [
    await startPostgres({ dir: `${dir}/standby1`, standbyOf: primary }),
    await startPostgres({ dir: `${dir}/standby2`, standbyOf: primary }),
  ] as const;
  return {
    primary,
    standbys,
    async close() {
      for (const one of [...standbys, primary]) await one.close();
    },
  };
}

/** Gives what takes it back. */
async function setting(
  servers: readonly Postgres[],
  name: string,
  value: string,
): Promise<() => Promise<void>> {
  const tell = async (statement: string): Promise<void> => {
    for (const server of servers) {
      await withAdmin(server.url('postgres'), async (admin) => {
        await admin.query(`alter system ${statement}`);
        await admin.query('select pg_reload_conf()');
      });
    }
  };
  await tell(`set ${name} = '${value}'`);
  return () => tell(`reset ${name}`);
}
