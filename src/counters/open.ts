import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { openCircuit } from './circuit.ts';
import { type Counters, countersIn } from './counters.ts';
import { REDIS_MS } from '../limits.ts';

/** Counts in Redis, for several instances, and while there is none that answers, here. */
export async function openCounters({ redis }: Pick<Config, 'redis'>, log: Logger): Promise<Counters> {
  if (redis === undefined) return countersIn();
  // Its library is loaded where there is one.
  const { inRedis } = await import('./redis.ts');
  return countersIn(
    await openCircuit({ place: 'Redis', patienceMs: REDIS_MS, connect: inRedis(redis), log }),
  );
}
