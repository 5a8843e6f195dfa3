import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { IdentityChanges } from '../db/identity-changes.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { Spool } from '../db/refusals/spool.ts';
import type { Documents } from '../documents/documents.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import { within } from '../within.ts';
import { CATALOG } from './catalog.ts';
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
}

/** What does not answer in this time is not in the figures: whoever collects them waits for ten seconds, as a rule. */
const PATIENCE_MS = 1_000;

/** Adds what is asked for when it is collected. */
export function collectFrom(sources: Sources, registry: Registry): void {
  const { audit, verifier, documents } = sources;
  const lanes = Object.entries(sources.lanes);

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
  gaugeOf(registry, CATALOG.refusalsTaken, () => (audit.figures().isTaking ? 1 : 0));
  const unanswered = gauge(registry, CATALOG.refusalsWaiting, () => {
    const figures = audit.figures();
    unanswered.set({ for: 'database' }, figures.waiting);
    unanswered.set({ for: 'disk' }, figures.spooling);
  });
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
  counterOf(registry, CATALOG.storeFailures, () =>
    Object.entries(documents.figures()).map(([kind, count]) => [{ kind }, Number(count)]),
  );

  const spool = asked(() => sources.spool.figures());
  for (const [entry, of] of [
    [CATALOG.spoolRecords, 'records'],
    [CATALOG.spoolBytes, 'bytes'],
    [CATALOG.setAside, 'setAsideBytes'],
  ] as const) {
    gaugeOf(registry, entry, async () => (await spool())?.[of]);
  }
  gaugeOf(registry, CATALOG.spoolOldest, async () => {
    const figures = await spool();
    return figures && (figures.oldestMs ?? 0) / 1_000;
  });

  const undelivered = asked(sources.undelivered);
  gaugeOf(registry, CATALOG.changes, async () => (await undelivered())?.changes);
  gaugeOf(registry, CATALOG.changesOldest, async () => (await undelivered())?.oldestSeconds);
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
