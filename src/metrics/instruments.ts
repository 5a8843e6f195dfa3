import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
type Figure = number | undefined;
type Figures = Figure | readonly (readonly [Labels, Figure])[];

export function instrumentsOf(registry: Registry) {
  const described = (name: string, help: string, labelNames: readonly string[]) => ({
    ...{ name, help, labelNames: [...labelNames], registers: [registry] },
  });
  return {
    gauges: (
      gauges: Readonly<
        Record<string, [help: string, ask: () => Figures | Promise<Figures>, ...labels: string[]]>
      >,
    ): void => {
      for (const [name, [help, ask, ...labels]] of Object.entries(gauges))
        new Gauge({
          ...described(name, help, labels),
          async collect() {
            const figures = listed(await ask());
            this.reset();
            this.remove({});
            // An unknown figure is left out: a zero would be a measurement.
            for (const [of, value] of figures) if (value !== undefined) this.set(of, value);
          },
        });
    },
    counterOf: (
      name: string,
      help: string,
      ask: () => readonly (readonly [Labels, number])[],
      label: string,
    ): Counter =>
      new Counter({
        ...described(name, help, [label]),
        collect() {
          this.reset();
          for (const [of, value] of ask()) this.inc(of, value);
        },
      }),
    counter: (name: string, help: string, label: string): Counter =>
      new Counter(described(name, help, [label])),
    histogram: (
      name: string,
      help: string,
      buckets: readonly number[],
      ...labels: readonly string[]
    ): Histogram => new Histogram({ ...described(name, help, labels), buckets: [...buckets] }),
  };
}

const listed = (figures: Figures) => (typeof figures === 'object' ? figures : [[{}, figures] as const]);
