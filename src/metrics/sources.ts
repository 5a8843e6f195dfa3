import type { Registry } from 'prom-client';
import type { Counters } from '../counters/counters.ts';
import type { Database } from '../db/database.ts';
import type { IdentityChanges } from '../db/identity-changes.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { Spool } from '../db/refusals/spool.ts';
import type { Replicas } from '../db/replicas/replicas.ts';
import type { Documents } from '../documents/documents.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { within } from '../within.ts';
import { CATALOG } from './catalog.ts';
import { ofReplicas } from './replicas.ts';
import { counterOf, gauge, gaugeOf } from './instruments.ts';

/** The parts that are asked for each collection. */
export interface Sources {
  /** The connections to Postgres, by what they are for. */
  readonly lanes: Readonly<Record<string, Pick<Database, 'figures'>>>;
  readonly audit: Pick<AuditWriter, 'figures'>;
  readonly spool: Pick<Spool, 'figures'>;
  readonly verifier: Pick<TokenVerifier, 'keys'>;
  readonly documents: Pick<Documents, 'figures'>;
  /** How much the identity provider does not know yet, on a connection that no request has. */
  readonly undelivered: () => ReturnType<IdentityChanges['undelivered']>;
  readonly replicas: Pick<Replicas, 'outcomes' | 'standings'> | undefined;
  /** Of a process that serves. */
  readonly counters: Pick<Counters, 'isAlone'>;
}

/** What does not answer in this time is not in the figures: whoever collects them waits for ten seconds, as a rule. */
const PATIENCE_MS = 1_000;

/** Adds what is asked for when it is collected, of the parts that there are in this process. */
export function collectFrom(sources: Partial<Sources>, registry: Registry): void {
  const { lanes, audit, spool, verifier, documents, undelivered, counters, replicas } = sources;
  if (lanes !== undefined) ofLanes(lanes, registry);
  if (audit !== undefined) ofRefusals(audit, registry);
  if (spool !== undefined) ofSpool(spool, registry);
  if (verifier !== undefined) ofKeys(verifier, registry);
  if (undelivered !== undefined) ofChanges(undelivered, registry);
  if (replicas !== undefined) ofReplicas(replicas, registry);
  if (counters !== undefined) ofCounters(counters, registry);
  if (documents !== undefined)
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

function ofChanges(undelivered: Sources['undelivered'], registry: Registry): void {
  const known = asked(undelivered);
  gaugeOf(registry, CATALOG.changes, async () => (await known())?.changes);
  gaugeOf(registry, CATALOG.changesOldest, async () => (await known())?.oldestSeconds);
}

function ofCounters(counters: Sources['counters'], registry: Registry): void {
  gaugeOf(registry, CATALOG.serving, () => 1);
  gaugeOf(registry, CATALOG.countedAlone, () => Number(counters.isAlone));
}

/**
 * However many figures come of it, and however many collect them, one question is under way. Undefined where it failed,
 * or takes longer than a collection can wait.
 */
function asked<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return within(PATIENCE_MS, asking, () => new Error('it was not known in time')).catch(() => undefined);
  };
}
