import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import type { Counters } from '../counters/counters.ts';
import type { Clocks } from '../db/clocks.ts';
import type { Database } from '../db/database.ts';
import type { DatabaseFigures } from '../db/database-figures.ts';
import type { Housekeeping } from '../db/housekeeping.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { Spool } from '../db/refusals/spool.ts';
import type { Documents } from '../documents/documents.ts';
import { passwordsWaiting } from '../identity/password.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { askedOnce } from '../retries.ts';
import { within } from '../within.ts';
import { CATALOG } from './catalog.ts';
import { counterOf, gauge, gaugeOf } from './instruments.ts';
import { METRICS_ANSWER_MS } from '../limits.ts';

/** The parts that are asked for each collection. */
export interface Sources {
  /** The connections to Postgres, by what they are for. */
  readonly lanes: Readonly<Record<string, Pick<Database, 'figures'>>>;
  readonly audit: Pick<AuditWriter, 'figures'>;
  readonly spool: Pick<Spool, 'figures'>;
  readonly verifier: Pick<TokenVerifier, 'keys'>;
  readonly clocks: Pick<Clocks, 'figures'>;
  readonly documents: Pick<Documents, 'figures'>;
  /** What the database says of itself, on a connection that no request has. */
  readonly database: DatabaseFigures;
  /** The periodic tasks, by name. */
  readonly housekeeping: Readonly<Record<string, Pick<Housekeeping, 'ageMs'>>>;
  readonly dataDir: string;
  readonly counters: Pick<Counters, 'isAlone'>;
}

/** Adds what the parts are asked for when it is collected. */
export function collectFrom(sources: Sources, registry: Registry): void {
  const { lanes, audit, spool, verifier, documents, database, dataDir } = sources;
  ofLanes(lanes, registry);
  ofRefusals(audit, registry);
  ofSpool(spool, registry);
  ofKeys(verifier, registry);
  ofDatabase(database, registry);
  ofHousekeeping(sources.housekeeping, registry);
  ofClocks(sources.clocks, registry);
  gaugeOf(registry, CATALOG.passwordsWaiting, passwordsWaiting);
  gaugeOf(registry, CATALOG.countedAlone, () => Number(sources.counters.isAlone));
  gaugeOf(
    registry,
    CATALOG.diskFree,
    asked(() => freeRatio(dataDir)),
  );
  counterOf(registry, CATALOG.storeFailures, () =>
    Object.entries(documents.figures()).map(([kind, count]) => [{ kind }, Number(count)]),
  );
}

function ofLanes(named: Sources['lanes'], registry: Registry): void {
  const lanes = Object.entries(named);
  const connections = gauge(registry, CATALOG.connections, () => {
    for (const [lane, database] of lanes) {
      const { connections: all, idle } = database.figures();
      connections.set({ lane, state: 'idle' }, idle);
      connections.set({ lane, state: 'busy' }, all - idle);
    }
  });
  const waiting = gauge(registry, CATALOG.waiting, () => {
    for (const [lane, database] of lanes) waiting.set({ lane }, database.figures().waiting);
  });
  const size = gauge(registry, CATALOG.poolSize, () => {
    for (const [lane, database] of lanes) size.set({ lane }, database.figures().size);
  });
  counterOf(registry, CATALOG.rightsMissing, () =>
    lanes.map(([lane, database]) => [{ lane }, database.figures().rightsMissing]),
  );
  gaugeOf(registry, CATALOG.longRequests, () =>
    lanes.reduce((sum, [, database]) => sum + database.figures().longRequests, 0),
  );
}

function ofRefusals(audit: Sources['audit'], registry: Registry): void {
  gaugeOf(registry, CATALOG.refusalsTaken, () => (audit.figures().isTaking ? 1 : 0));
  const unanswered = gauge(registry, CATALOG.refusalsWaiting, () => {
    const figures = audit.figures();
    unanswered.set({ for: 'database' }, figures.waiting);
    unanswered.set({ for: 'disk' }, figures.spooling);
  });
}

function ofSpool(spool: Sources['spool'], registry: Registry): void {
  const known = asked(() => spool.figures());
  gaugeOf(registry, CATALOG.spoolRecords, async () => (await known())?.records);
  gaugeOf(registry, CATALOG.spoolBytes, async () => (await known())?.bytes);
  gaugeOf(registry, CATALOG.setAside, async () => (await known())?.setAsideBytes);
  gaugeOf(registry, CATALOG.spoolOldest, async () => {
    const figures = await known();
    return figures && (figures.oldestMs ?? 0) / 1_000;
  });
}

function ofKeys(verifier: Sources['verifier'], registry: Registry): void {
  gaugeOf(registry, CATALOG.keysAge, () => {
    const { ageMs } = verifier.keys();
    return ageMs === undefined ? undefined : ageMs / 1_000;
  });
  counterOf(registry, CATALOG.keysFetched, () => {
    const { fetches, failures } = verifier.keys();
    return [
      [{ outcome: 'keys' }, fetches - failures],
      [{ outcome: 'failure' }, failures],
    ];
  });
}

function ofClocks(clocks: Sources['clocks'], registry: Registry): void {
  const ahead = gauge(registry, CATALOG.clocksAhead, () => {
    ahead.reset();
    for (const [clock, ms] of Object.entries(clocks.figures()))
      if (ms !== undefined) ahead.set({ clock }, ms / 1_000);
  });
}

function ofDatabase(database: Sources['database'], registry: Registry): void {
  const changes = asked(() => database.undelivered());
  gaugeOf(registry, CATALOG.changes, async () => (await changes())?.changes);
  gaugeOf(registry, CATALOG.changesOldest, async () => (await changes())?.oldestSeconds);
  const upkeep = asked(() => database.upkeep());
  gaugeOf(registry, CATALOG.removalsDue, async () => (await upkeep())?.removals);
  gaugeOf(registry, CATALOG.removalsOldest, async () => (await upkeep())?.removalsOldestSeconds);
  gaugeOf(registry, CATALOG.archiveFailing, async () => (await upkeep())?.archiveFailingSeconds);
  gaugeOf(
    registry,
    CATALOG.objections,
    asked(() => database.objections()),
  );
}

function ofHousekeeping(tasks: Sources['housekeeping'], registry: Registry): void {
  const age = gauge(registry, CATALOG.houseAge, () => {
    for (const [task, { ageMs }] of Object.entries(tasks)) age.set({ task }, ageMs() / 1_000);
  });
}

async function freeRatio(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder);
  return bavail / blocks;
}

/**
 * However many figures come of it, and however many collect them, one question is under way. Undefined where it failed,
 * or takes longer than a collection can wait.
 */
function asked<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  const once = askedOnce(ask);
  return () =>
    within(METRICS_ANSWER_MS, once(), () => new Error('it was not known in time')).catch(() => undefined);
}
