import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { CounterEntry, Entry, GaugeEntry, HistogramEntry } from './catalog.ts';

export type Labels = Readonly<Record<string, string>>;

export function gauge(registry: Registry, entry: GaugeEntry, collect: () => void | Promise<void>): Gauge {
  return new Gauge({ ...described(registry, entry), collect });
}

/** A gauge of what may not be known. That is not zero: it is absent then. */
export function gaugeOf(
  registry: Registry,
  entry: GaugeEntry,
  ask: () => number | undefined | Promise<number | undefined>,
): void {
  const asked = gauge(registry, entry, async () => {
    const value = await ask();
    if (value === undefined) asked.remove();
    else asked.set(value);
  });
}

export function counter(registry: Registry, entry: CounterEntry): Counter {
  return new Counter(described(registry, entry));
}

export function counterOf(
  registry: Registry,
  entry: CounterEntry,
  counts: () => readonly (readonly [Labels, number])[],
): void {
  new Counter({
    ...described(registry, entry),
    collect() {
      this.reset();
      for (const [labels, count] of counts()) this.inc(labels, count);
    },
  });
}

export function histogram(registry: Registry, entry: HistogramEntry): Histogram {
  return new Histogram({ ...described(registry, entry), buckets: [...entry.buckets] });
}

function described(registry: Registry, { name, help, labelNames }: Entry) {
  return { name, help, labelNames: [...labelNames], registers: [registry] };
}
