import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openCounters } from './counters/open.ts';
import { openSpool } from './db/refusals/spool.ts';
import { peopleOf } from './embedded/people.ts';
import type { EmbeddedDatabase } from './embedded/postgres/prepare.ts';
import type { EmbeddedProvider } from './embedded/provider/start.ts';
import { endInReverse, type Ending } from './endings.ts';
import type { Person } from './http/docs-people.ts';
import {
  checkBeforehand,
  groundOf,
  keepHouse,
  opening,
  openRequests,
  serveApi,
  serveMetrics,
  startFoundation,
} from './parts.ts';
import type { Foundation } from './parts.ts';
import { openSeen } from './seen.ts';

export interface Service {
  readonly url: string;
  readonly embedded: {
    readonly database: EmbeddedDatabase | undefined;
    readonly provider: EmbeddedProvider | undefined;
    /** Whose tokens may be printed. */
    readonly people: readonly Person[];
  };
  /** Finishes what was taken, then ends every part, within ten seconds; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts every part that the configuration asks for, in order; what was started is ended again when a later part
 * fails, or `ending` is aborted meanwhile.
 * @throws Error in one line a person can act on; the reason of `ending` where that ended the start.
 */
export async function startService(config: Config, log: Logger, ending?: AbortSignal): Promise<Service> {
  const endings: Ending[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= endInReverse(endings, log));
  try {
    return { ...(await startParts(config, log, endings, ending)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  config: Config,
  log: Logger,
  endings: Ending[],
  ending?: AbortSignal,
): Promise<Omit<Service, 'close'>> {
  await checkBeforehand(config);
  const spool = await openSpool(config.dataDir);
  endings.push({ part: 'the spool of refusals', atLeastMs: 200, end: () => spool.close() });
  const seen = await openSeen(config, log);
  endings.push({ part: 'the traces', atLeastMs: 0, end: (withinMs) => seen.close(withinMs) });
  const counters = await openCounters(config, log);
  endings.push({ part: 'the counters', atLeastMs: 0, end: () => counters.close() });
  const foundation = await startFoundation(config, log, endings, ending);
  const ground = groundOf(foundation);
  const open = opening(config, log, endings, { apiUrl: ground.apiUrl, seen });
  const { database, replicas } = openRequests(config, log, endings, open);
  const kept = keepHouse(config, log, endings, { foundation, open, database });
  const { url, ...parts } = await serveApi(config, log, endings, {
    ...{ ground, open, database, spool, counters, seen },
  });
  await serveMetrics(config, endings, {
    ...{ seen, open, parts: { ...parts, ...kept, replicas } },
    source: (registry) => registry,
  });
  return { url, embedded: embeddedOf(foundation) };
}

export function embeddedOf({ database, provider }: Foundation): Service['embedded'] {
  const people = provider === undefined ? [] : peopleOf(provider);
  return { database, provider, people };
}
