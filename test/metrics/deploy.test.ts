import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

test('what the dashboard and the alerts ask for is in the list of metrics, with labels that it has', async () => {
  const listed = new Map(
    [...(await read('docs/metrics.md')).matchAll(/^\| `(\w+)`\s*\| (\w+)\s*\| ([^|]*)\|/gm)].map(
      ([, name = '', type = '', labels = '']) => [
        name,
        { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
      ],
    ),
  );
  let asked = 0;
  for (const path of ['deploy/grafana/dashboard.json', 'deploy/prometheus/alerts.yml']) {
    const text = (await read(path)).replaceAll('\\"', '"');
    for (const [, full = '', selector = ''] of text.matchAll(
      /\b((?:taxclaims|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
    )) {
      asked += 1;
      const part = /_(?:bucket|count|sum)$/;
      const metric = listed.get(full) ?? listed.get(full.replace(part, ''));
      expect([path, full, metric?.type]).toEqual([
        path,
        full,
        part.test(full) ? 'histogram' : expect.stringMatching(/^(?:gauge|counter)$/),
      ]);
      const labels = [...selector.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label);
      const known = [...(metric?.labels ?? []), 'job', 'instance', 'le'];
      expect([full, labels.filter((label) => !known.includes(label))]).toEqual([full, []]);
    }
  }
  expect(asked).toBeGreaterThan(45);
});

test('each alert has a case in which it is raised, and one in which it is not', async () => {
  const names = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, name = '']) => name);
  const alerts = names(await read('deploy/prometheus/alerts.yml'), /^ +- alert: (\w+)$/gm);
  const cases = names(await read('deploy/prometheus/alerts.test.yml'), /^ +- name: (.+)$/gm);
  expect(alerts.length).toBeGreaterThan(10);
  expect(cases.sort()).toEqual(alerts.flatMap((alert) => [`${alert}, raised`, `${alert}, quiet`]).sort());
});
