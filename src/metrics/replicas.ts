import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Replicas } from '../db/replicas/replicas.ts';

/** Where requests that only read are answered, and how the replicas are. */
export function measureReplicas(
  registry: Registry,
  { outcomes, standings }: Pick<Replicas, 'outcomes' | 'standings'>,
): void {
  const registers = [registry];
  new Counter({
    name: 'taxclaims_replica_reads_total',
    help: 'Requests that only read: answered by a replica, or not, and why not.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of outcomes) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'taxclaims_replica_lag_seconds',
    help: 'By how much a replica is behind the primary, as far as this process knows.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, lagSeconds } of standings()) this.set({ replica: name }, lagSeconds);
    },
  });
  new Gauge({
    name: 'taxclaims_replica_left_out',
    help: '1 for a replica that this process does not read from at the moment.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, isRead } of standings()) this.set({ replica: name }, isRead ? 0 : 1);
    },
  });
}
