import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { openDatabase } from '../database.ts';
import type { PoolOptions } from '../pool.ts';
import { LONGEST_LAG_MS, Replica } from './replica.ts';
import { readFrom } from './replicas.ts';
import type { Replicas } from './replicas.ts';

interface Options {
  readonly primary: Database;
  readonly lane: Database;
  readonly urls: readonly string[];
  /** As for the primary; each replica has as many connections. */
  readonly pool: Omit<PoolOptions, 'url' | 'log' | 'notesWrites'>;
  /** Further behind, a replica is left out; ten seconds when absent. */
  readonly longestLagMs?: number | undefined;
  readonly log: Logger;
}

/** Of a replica that does not say how far it is, there is no need to know more. */
const LANE = { poolSize: 1, statementTimeoutMs: 1_000 } as const;

/** The database with replicas to read from; connects by itself, and again after an outage. */
export function openReplicas({
  primary,
  lane,
  urls,
  pool,
  longestLagMs = LONGEST_LAG_MS,
  log,
}: Options): Replicas {
  const opened: Database[] = [];
  const open = (url: string, further: Partial<PoolOptions> = {}): Database => {
    const database = openDatabase({ ...pool, url, log, ...further });
    opened.push(database);
    return database;
  };
  const replicas = readFrom({
    primary,
    lane,
    replicas: urls.map((url) => {
      const [database, itsLane] = [open(url), open(url, LANE)];
      return new Replica({ name: new URL(url).host, database, lane: itsLane, longestLagMs, log });
    }),
  });
  return {
    ...replicas,
    async close(withinMs) {
      await Promise.all([replicas.close(), ...opened.map((database) => database.close(withinMs))]);
    },
  };
}
