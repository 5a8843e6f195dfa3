import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Sources {
  /** How much the identity provider does not know yet; asked anew for each collection. */
  readonly undelivered: () => Promise<{ readonly changes: number; readonly oldestSeconds: number }>;
}

/** The figures of this process, and those of the database that it works on. */
export function createMetrics({ undelivered }: Sources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let asking: ReturnType<Sources['undelivered']> | undefined;
  /** One question for all figures of a collection. What cannot be known is not zero. */
  const known = (): ReturnType<Sources['undelivered']> =>
    (asking ??= undelivered()
      .catch(() => ({ changes: NaN, oldestSeconds: NaN }))
      .finally(() => {
        asking = undefined;
      }));
  const registers = [registry];
  new Gauge({
    name: 'taxclaims_identity_changes_undelivered',
    help: 'Changes of rights that the identity provider does not know yet.',
    registers,
    async collect() {
      this.set((await known()).changes);
    },
  });
  new Gauge({
    name: 'taxclaims_identity_changes_oldest_seconds',
    help: 'For how long the oldest change of rights has waited to be told to the identity provider.',
    registers,
    async collect() {
      this.set((await known()).oldestSeconds);
    },
  });
  return registry;
}
