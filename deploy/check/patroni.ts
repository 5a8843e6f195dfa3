import { setTimeout as delay } from 'node:timers/promises';
import { freeze } from '../../test/support/freeze.ts';
import { sendTo } from '../../test/faults/processes.ts';
import { startPatroni } from '../lab/patroni.ts';
import type { Patroni } from '../lab/patroni.ts';
import type { ApiLogin } from './database.ts';
import type { Fault, Result } from './fault.ts';
import type { World } from './world.ts';

/**
 * How many milliseconds pass at most between the loss of the Patroni cluster’s leader and the first successful write.
 * In this time the leader’s role expires (ttl), the standbys notice this, and one of them is elected.
 */
const WRITES_BACK_MS = 30_000;

/**
 * DATABASE_URL can name a Patroni cluster in two forms. With both forms the service must find the new primary after a
 * change of the primary.
 */
const WAYS = {
  'several hosts': ({ nodes }: Patroni, { name, password, database }: ApiLogin): string => {
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join();
    return `postgres://${name}:${password}@${hosts}/${database}?target_session_attrs=read-write`;
  },
  haproxy: ({ haproxy: { port } }: Patroni, { name, password, database }: ApiLogin): string =>
    `postgres://${name}:${password}@127.0.0.1:${port}/${database}`,
} as const;

interface Break {
  readonly name: string;
  readonly backAfterMs: number;
  readonly holdMs?: number;
  /** Breaks the Patroni cluster, for example by killing its leader. Returns a function that repairs the cluster. */
  begin: (cluster: Patroni) => Promise<() => Promise<void>>;
}

const BREAKS: readonly Break[] = [
  {
    name: 'the leader of the Patroni cluster is killed',
    backAfterMs: WRITES_BACK_MS,
    async begin(cluster) {
      const leader = await cluster.leader();
      await leader.kill();
      return async () => {
        await untilAnotherLeads(cluster, leader.name);
        await leader.start();
      };
    },
  },
  {
    name: 'the Postgres of the Patroni leader is killed',
    backAfterMs: WRITES_BACK_MS,
    async begin(cluster) {
      const leader = await cluster.leader();
      for (const pid of await leader.postgresPids()) sendTo(pid, 'SIGKILL');
      return () => Promise.resolve();
    },
  },
  {
    name: 'the leader of the Patroni cluster is frozen, and continues',
    backAfterMs: WRITES_BACK_MS + 15_000,
    async begin(cluster) {
      const leader = await cluster.leader();
      await leader.freeze();
      return async () => {
        await untilAnotherLeads(cluster, leader.name);
        // The old leader stays frozen for two more seconds. When it continues, it still considers itself the primary,
        // although another node already is.
        await delay(2_000);
        await leader.resume();
      };
    },
  },
  {
    name: 'an operator makes another node the leader of the Patroni cluster',
    backAfterMs: WRITES_BACK_MS,
    async begin(cluster) {
      await cluster.switchover();
      return () => Promise.resolve();
    },
  },
  {
    // Patroni needs etcd. If the leader cannot renew its lock in etcd, Patroni demotes it. Once etcd is reachable
    // again, Patroni elects a leader.
    name: 'etcd is frozen, and continues',
    backAfterMs: 30_000 + WRITES_BACK_MS,
    holdMs: 30_000,
    async begin({ etcd }) {
      const resume = await freeze((await etcd.pids())[0] ?? 0);
      return () => {
        resume();
        return Promise.resolve();
      };
    },
  },
];

export const faults: readonly Fault[] = Object.entries(WAYS).flatMap(([way, url]) =>
  BREAKS.map((one) => ({
    part: 'patroni',
    fault: `${one.name}, ${way}`,
    bounds: { backAfterMs: one.backAfterMs },
    run: (world: World) => tryBreak(world, one, url),
  })),
);

async function tryBreak(
  world: World,
  { begin, holdMs }: Break,
  urlOf: (cluster: Patroni, login: ApiLogin) => string,
): Promise<Result> {
  const cluster = await world.once('patroni', (dir) => startPatroni({ dir }));
  await cluster.settled();
  return world.underLoad({
    adminUrl: cluster.leaderUrl,
    environment: (login) => ({ DATABASE_URL: urlOf(cluster, login) }),
    break: () => begin(cluster),
    ...(holdMs === undefined ? {} : { holdMs }),
  });
}

async function untilAnotherLeads(cluster: Patroni, name: string): Promise<void> {
  while ((await cluster.leader()).name === name) await delay(100);
}
