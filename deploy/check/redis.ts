import { setTimeout as delay } from 'node:timers/promises';
import { startRedis } from '../lab/redis.ts';
import type { Redis } from '../lab/redis.ts';
import type { Fault } from './fault.ts';
import { onOwnPostgres } from './own-postgres.ts';
import type { World } from './world.ts';

/*
 * These tests break the Redis in which two instances of the service count requests for the rate limits. No request is
 * allowed to fail.
 */

/** Redis is broken for this number of milliseconds, and the load test continues for the same time after the repair. */
const HURT_MS = 4_000;

interface Break {
  readonly name: string;
  readonly begin: (redis: Redis, folder: string) => Promise<(() => Promise<void>) | undefined>;
}

const BREAKS: readonly Break[] = [
  {
    name: 'Redis is frozen',
    async begin(redis) {
      await redis.freeze();
      return () => redis.resume();
    },
  },
  {
    name: 'Redis is slow',
    async begin(redis) {
      await redis.ask('CLIENT', 'PAUSE', String(HURT_MS));
      return undefined;
    },
  },
  {
    name: 'Redis is killed, and another one starts in its place',
    async begin(redis, folder) {
      const { port } = redis;
      await redis.kill();
      return async () => {
        await startRedis({ dir: folder, port });
        await delay(HURT_MS);
      };
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  part: 'redis',
  fault: one.name,
  bounds: { failed: 0 },
  run: async (world: World) => {
    const folder = world.folder(`redis ${one.name}`);
    const redis = await startRedis({ dir: folder });
    try {
      return await world.underLoad({
        ...(await onOwnPostgres(world, { REDIS_URL: redis.url })),
        instances: 2,
        holdMs: HURT_MS,
        break: () => one.begin(redis, folder),
      });
    } finally {
      await redis.close();
    }
  },
}));
