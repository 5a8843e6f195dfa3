import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

type Undelivered = () => Promise<{ readonly changes: number; readonly oldestSeconds: number }>;

export interface Sources {
  /** How much the identity provider does not know yet; asked anew for each collection, where several serve by one. */
  readonly undelivered?: Undelivered;
  /** Whether this process counts by itself what is to be counted together; absent where it serves nobody. */
  readonly countsAlone?: () => boolean;
}

/** The figures of this process, and those of the database that it works on. */
export function createMetrics({ undelivered, countsAlone }: Sources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (undelivered !== undefined) addUndelivered(registry, undelivered);
  if (countsAlone !== undefined) {
    new Gauge({
      name: 'taxclaims_processes_serving',
      help: 'How many processes serve: one, or the workers.',
      registers: [registry],
    }).set(1);
    new Gauge({
      name: 'taxclaims_limits_counted_alone',
      help: 'How many processes count requests by themselves, since they cannot reach where all count together.',
      registers: [registry],
      collect() {
        this.set(Number(countsAlone()));
      },
    });
  }
  return registry;
}

function addUndelivered(registry: Registry, undelivered: Undelivered): void {
  let asking: ReturnType<Undelivered> | undefined;
  /** One question for all figures of a collection. What cannot be known is not zero. */
  const known = (): ReturnType<Undelivered> =>
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
}
