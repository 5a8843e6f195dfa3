import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
type GaugeValue = number | undefined;
type GaugeValues = GaugeValue | readonly (readonly [Labels, GaugeValue])[];

export function createInstruments(registry: Registry) {
  const instrumentOptions = (name: string, help: string, labelNames: readonly string[]) => ({
    ...{ name, help, labelNames: [...labelNames], registers: [registry] },
  });
  return {
    gauges: (
      gauges: Readonly<
        Record<string, [help: string, ask: () => GaugeValues | Promise<GaugeValues>, ...labels: string[]]>
      >,
    ): void => {
      for (const [name, [help, readValues, ...labels]] of Object.entries(gauges))
        new Gauge({
          ...instrumentOptions(name, help, labels),
          async collect() {
            const labelledValues = asLabelledValues(await readValues());
            this.reset();
            this.remove({});
            // Omits a metric with an unknown value, because zero would look like a measurement.
            for (const [of, value] of labelledValues) if (value !== undefined) this.set(of, value);
          },
        });
    },
    counterOf: (
      name: string,
      help: string,
      readValues: () => readonly (readonly [Labels, number])[],
      label: string,
    ): Counter =>
      new Counter({
        ...instrumentOptions(name, help, [label]),
        collect() {
          this.reset();
          for (const [of, value] of readValues()) this.inc(of, value);
        },
      }),
    counter: (name: string, help: string, label: string): Counter =>
      new Counter(instrumentOptions(name, help, [label])),
    histogram: (
      name: string,
      help: string,
      buckets: readonly number[],
      ...labels: readonly string[]
    ): Histogram => new Histogram({ ...instrumentOptions(name, help, labels), buckets: [...buckets] }),
  };
}

const asLabelledValues = (figures: GaugeValues) =>
  typeof figures === 'object' ? figures : [[{}, figures] as const];
