import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Memory, openMemory } from '../counters/memory.ts';
import { openCounters } from '../counters/open.ts';
import { endInReverse, type Ending } from '../endings.ts';
import { metricsOfAll } from '../metrics/of-all.ts';
import { checkBeforehand, groundOf, keepHouse, opening, serveMetrics, startFoundation } from '../parts.ts';
import { openSeen } from '../seen.ts';
import { embeddedOf, type Service } from '../service.ts';
import { type CountForAll, type Patience, startMember } from './crew.ts';
import { WINDOW_MS } from '../limits.ts';
import { supervise } from './supervisor.ts';

/** The service in several processes: this one has what there is once, and the others serve. */
export interface CrewedService extends Service {
  /** Replaces every worker by a new one, while the others serve. */
  reload(): Promise<void>;
}

/** What is done here beside requests: deliveries, and the removal of what is over. */
const HOUSE = { poolSize: 2 } as const;

interface Options {
  readonly ending: AbortSignal;
  readonly hopeless: (error: Error) => void;
  /** With its workers, where it is not the usual one. */
  readonly patience?: Patience;
}

/**
 * Starts what there is once, and then the workers.
 * @throws Error in one line a person can act on; the reason of `ending` where that ended the start.
 */
export async function startCrewed(config: Config, log: Logger, options: Options): Promise<CrewedService> {
  const endings: Ending[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= endInReverse(endings, log));
  try {
    return { ...(await startParts(config, log, endings, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  config: Config,
  log: Logger,
  endings: Ending[],
  { ending, hopeless, patience }: Options,
): Promise<Omit<CrewedService, 'close'>> {
  await checkBeforehand(config);
  const seen = await openSeen(config, log);
  endings.push({ part: 'the traces', atLeastMs: 0, end: (withinMs) => seen.close(withinMs) });
  const counters = await openCounters(config, log);
  endings.push({ part: 'the counters', atLeastMs: 0, end: () => counters.close() });
  const foundation = await startFoundation(config, log, endings, { counters, ending });
  ending.throwIfAborted();
  const ground = groundOf(foundation);
  const open = opening(config, log, endings, { apiUrl: ground.apiUrl, seen });
  const database = open('house', HOUSE);
  const kept = keepHouse(config, log, endings, { foundation, open, database });
  const count = countingForAll();
  const supervisor = supervise({
    ...{ count: config.workers, log, hopeless },
    start: () => startMember({ ground, count, log, patience }),
  });
  endings.push({ part: 'the workers', atLeastMs: 5_000, end: (withinMs) => supervisor.close(withinMs) });
  const url = await supervisor.serving;
  await serveMetrics(config, endings, {
    ...{ seen, open, parts: kept },
    source: (own) => metricsOfAll(own, () => supervisor.figures()),
  });
  return { url, embedded: embeddedOf(config, foundation), reload: () => supervisor.reload() };
}

/** The counts of all workers, in the memory of this process. */
function countingForAll(): CountForAll {
  const memories = new Map<string, Memory>();
  return async (limit, key) => {
    const memory = memories.get(limit) ?? openMemory();
    memories.set(limit, memory);
    const { totalHits, resetTime } = await memory.increment(key);
    return { totalHits, resetMs: resetTime?.getTime() ?? Date.now() + WINDOW_MS };
  };
}
