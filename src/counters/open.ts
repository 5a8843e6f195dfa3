import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Circuit, type Connect, openCircuit } from './circuit.ts';
import { type Counters, countersIn } from './counters.ts';
import { type AskToCount, countedBy } from './elsewhere.ts';
import { PRIMARY_MS, REDIS_MS } from '../limits.ts';

/**
 * Counts in Redis, for several instances; else, for several processes of one, where `ask` leads; else here. Each stands in
 * for the one before it.
 */
export async function openCounters({ redis }: Config, log: Logger, ask?: AskToCount): Promise<Counters> {
  const open = (place: string, patienceMs: number, connect: Connect): Promise<Circuit> =>
    openCircuit({ place, patienceMs, connect, log });
  const places: Circuit[] = [];
  if (redis !== undefined) {
    const { inRedis } = await import('./redis.ts');
    places.push(await open('Redis', REDIS_MS, inRedis(redis)));
  }
  return countersIn([
    ...places,
    ...(ask === undefined ? [] : [await open('the primary process', PRIMARY_MS, countedBy(ask))]),
  ]);
}
