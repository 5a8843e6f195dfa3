import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type MetricLabels = Readonly<Record<string, string>>;
type GaugeValue = number | undefined;
type GaugeValues = GaugeValue | readonly (readonly [MetricLabels, GaugeValue])[];

export function createInstruments(registry: Registry) {
  const optionsOf = (name: string, help: string, labelNames: readonly string[]) => ({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    gauges: (
      gauges: Readonly<
        Record<string, [help: string, ask: () => GaugeValues | Promise<GaugeValues>, ...labels: string[]]>
      >,
    ): void => {
      for (const [name, [help, readValues, ...labels]] of Object.entries(gauges))
        new Gauge({
          ...optionsOf(name, help, labels),
          async collect() {
            const values = convertToLabelledValues(await readValues());
            this.reset();
            this.remove({});
            // Omits a metric with an unknown value, because zero would look like a measurement.
            for (const [of, value] of values) if (value !== undefined) this.set(of, value);
          },
        });
    },
    counterOf: (
      name: string,
      help: string,
      readValues: () => readonly (readonly [MetricLabels, number])[],
      label: string,
    ): Counter =>
      new Counter({
        ...optionsOf(name, help, [label]),
        collect() {
          this.reset();
          for (const [of, value] of readValues()) this.inc(of, value);
        },
      }),
    counter: (name: string, help: string, label: string): Counter => new Counter(optionsOf(name, help, [label])),
    histogram: (name: string, help: string, buckets: readonly number[], ...labels: readonly string[]): Histogram =>
      new Histogram({ ...optionsOf(name, help, labels), buckets: [...buckets] }),
  };
}

const convertToLabelledValues = (figures: GaugeValues) =>
  typeof figures === 'object' ? figures : [[{}, figures] as const];
