import { setTimeout as delay } from 'node:timers/promises';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import type { Haproxy } from '../lab/haproxy.ts';
import { startRedis } from '../lab/redis.ts';
import { releaseBefore } from '../lab/release.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import { frontOf, replaceEach } from './front.ts';
import { onOwnPostgres } from './own-postgres.ts';
import type { Front, Running, UnderLoad } from './under-load.ts';
import type { World } from './world.ts';

/*
 * In these tests HAProxy distributes requests to three equal instances of the service, which share one Postgres and one
 * Redis for rate limits.
 */

const INSTANCES = 3;
/**
 * For this number of milliseconds, instances of two releases run side by side, or two instances run after the third one
 * was killed.
 */
const BESIDE_MS = 4_000;

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  /**
   * True if all instances of the service run the previous release at first, and are later replaced by instances of this
   * release.
   */
  readonly fromBefore?: true;
  begin: (running: Running, haproxy: Haproxy) => Promise<void>;
}

const BREAKS: readonly Break[] = [
  {
    name: 'an operator restarts the instances one after the other',
    bounds: { failed: 0 },
    begin: ({ services }, haproxy) => replaceEach(services, haproxy),
  },
  {
    name: 'an operator replaces the previous release, one instance after the other',
    bounds: { failed: 0 },
    fromBefore: true,
    async begin({ services, adminUrl }, haproxy) {
      await migrateWithCommand(await adminUrl());
      await replaceEach(services, haproxy, BESIDE_MS);
    },
  },
  {
    // A killed instance cannot answer its open requests. HAProxy notices the loss within a second, and sends further
    // requests only to the other instances.
    name: 'one of three instances is killed',
    bounds: { backAfterMs: 5_000 },
    async begin({ services: [one] }) {
      one?.signal('SIGKILL');
      await one?.ended();
      await delay(BESIDE_MS);
      await one?.start();
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  ...{ part: 'api', fault: one.name, bounds: one.bounds },
  run: (world: World) => tryBreak(world, one),
}));

async function tryBreak(world: World, { begin, fromBefore }: Break): Promise<Result> {
  let haproxy: Haproxy | undefined;
  const redis = await world.once('redis', (dir) => startRedis({ dir }));
  const options: UnderLoad = {
    ...(await onOwnPostgres(world, { TRUST_PROXY: '1', REDIS_URL: redis.url })),
    instances: INSTANCES,
    front: async (ports, dir): Promise<Front> => (haproxy = await frontOf(ports, dir)),
    async break(running) {
      if (haproxy !== undefined) await begin(running, haproxy);
      return undefined;
    },
  };
  if (fromBefore === undefined) return world.underLoad(options);
  return world.underLoad({ ...options, release: await releaseBefore(world.folder('release'), world.from) });
}
