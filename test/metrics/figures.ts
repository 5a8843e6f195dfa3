import { ask } from '../support/http.ts';

/** The values of the metrics by name and labels, read from the text that GET /metrics returns. */
export type Figures = ReadonlyMap<string, number>;

export async function figuresAt(port: number): Promise<Figures> {
  const { text } = await ask(port, 'GET /metrics');
  return parse(text);
}

export function parse(text: string): Figures {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The sum of all values of a metric that have the given labels. */
export function sumOf(figures: Figures, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return [...figures]
    .filter(([series]) => series === name || series.startsWith(`${name}{`))
    .filter(([series]) => Object.entries(labels).every(([key, value]) => series.includes(`${key}="${value}"`)))
    .reduce((sum, [, value]) => sum + value, 0);
}
