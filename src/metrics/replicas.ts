import type { Registry } from 'prom-client';
import type { Replicas } from '../db/replicas/replicas.ts';
import { CATALOG } from './catalog.ts';
import { counterOf, gauge } from './instruments.ts';

/** Where requests that only read are answered, and how the replicas are. */
export function ofReplicas(
  { outcomes, standings }: Pick<Replicas, 'outcomes' | 'standings'>,
  registry: Registry,
): void {
  counterOf(registry, CATALOG.replicaReads, () =>
    [...outcomes].map(([outcome, count]) => [{ outcome }, count] as const),
  );
  const lag = gauge(registry, CATALOG.replicaLag, () => {
    lag.reset();
    for (const { name, lagSeconds } of standings())
      if (!Number.isNaN(lagSeconds)) lag.set({ replica: name }, lagSeconds);
  });
  const leftOut = gauge(registry, CATALOG.replicaLeftOut, () => {
    for (const { name, isRead } of standings()) leftOut.set({ replica: name }, isRead ? 0 : 1);
  });
}
