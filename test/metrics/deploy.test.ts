import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const read = (path: string): Promise<string> => readFile(join(import.meta.dirname, '..', '..', path), 'utf8');

test('the dashboard and the alerts of the deployment use only metrics and labels of docs/metrics.md', async () => {
  const listed = new Map(
    [...(await read('docs/metrics.md')).matchAll(/^- `(\w+)` (gauge|counter|histogram)([^:]*):/gm)].map(
      ([, name = '', type = '', labels = '']) => [
        name,
        { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
      ],
    ),
  );
  let asked = 0;
  for (const path of ['deploy/grafana/dashboard.json', 'deploy/prometheus/alerts.yml']) {
    const text = (await read(path)).replaceAll('\\"', '"');
    for (const [, full = '', selector = ''] of text.matchAll(/\b((?:taxclaims|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
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

const names = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
const ALERT = /^ +- alert: (\w+)$/gm;

test('each Prometheus alert links to a paragraph of docs/runbook.md with the parts Means, Look at and Do', async () => {
  const rules = await read('deploy/prometheus/alerts.yml');
  const alerts = names(rules, ALERT);
  expect(names(rules, /runbook_url: '{{ \$externalLabels\.runbook }}#(\w+)'$/gm)).toEqual(
    alerts.map((alert) => alert.toLowerCase()),
  );
  const [, ...paragraphs] = (await read('docs/runbook.md')).split(/^## /m);
  expect(paragraphs.map((text) => text.split('\n')[0]).sort()).toEqual(alerts.sort());
  for (const text of paragraphs) expect(names(text, /^- (Means|Look at|Do): \S/gm)).toEqual(['Means', 'Look at', 'Do']);
});

test('each Prometheus alert has a test case that raises the alert and a test case that does not', async () => {
  const alerts = names(await read('deploy/prometheus/alerts.yml'), ALERT);
  const cases = names(await read('deploy/prometheus/alerts.test.yml'), /^ +- name: (.+)$/gm);
  expect(alerts.length).toBeGreaterThan(10);
  expect(cases.sort()).toEqual(alerts.flatMap((alert) => [`${alert}, raised`, `${alert}, quiet`]).sort());
});
