import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Metric } from 'prom-client';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { MetricSources } from '../../src/metrics/sources.ts';
import { createRouteFinder } from '../../src/http/routes.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { parse } from './figures.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Fake parts of the service that report values for the metrics. Each part reports a different value, and one part
 * reports none.
 */
const sources: MetricSources = {
  pools: {
    requests: {
      figures: () => ({ connections: 5, idle: 2, size: 6, waiting: 3, longRequests: 1, rightsMissing: 9 }),
    },
  },
  audit: { figures: () => ({ waiting: 7, spooling: 8, isTaking: false }) },
  spool: { figures: () => Promise.resolve({ records: 9, bytes: 10, setAsideBytes: 11, oldestMs: 12_000 }) },
  verifier: { keys: () => ({ ageMs: undefined, fetches: 14, failures: 13 }) },
  streams: { figures: () => ({ open: 22, ended: { left: 23, slow: 24 } }) },
  clocks: { figures: () => ({ provider: 18_000, service: undefined }) },
  documents: { figures: () => ({ away: 15, stalled: 16, damaged: 17 }) },
  database: {
    undelivered: () => new Promise(() => undefined),
    unsent: () => Promise.resolve({ mails: 25, oldestSeconds: 26, cutOff: 27 }),
    objections: () => Promise.resolve(18),
    auditLogOverSeconds: () => Promise.resolve(28),
    upkeep: () => Promise.resolve({ removals: 19, removalsOldestSeconds: 20, archiveFailingSeconds: undefined }),
  },
  housekeeping: { kept_answers: { ageMs: () => 21_000 } },
  dataDir: ROOT,
  counters: { isCountingAlone: false },
};

const metrics = createMetrics();
metrics.collectFromParts(sources);
const { registry } = metrics;

afterAll(() => {
  registry.clear();
});

type Listed = Metric & { readonly name: string; readonly help: string; readonly labelNames: readonly string[] };

/** The registered metrics as table rows in the form that docs/metrics.md has. */
function registered(): string[] {
  return (registry.getMetricsAsArray() as unknown as Listed[]).map(({ name, help, labelNames, constructor }) =>
    [name, constructor.name.toLowerCase(), labelNames.join(', '), help].join(' | '),
  );
}

test('docs/metrics.md lists every metric with its type, labels and description, and no other', async () => {
  const text = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8');
  const items = text.matchAll(/^- `(\w+)` (gauge|counter|histogram)(?: by ([^:]+))?: (.+(?:\n {2}.+)*)$/gm);
  const listed = [...items].map(([, name, type, labels = '', words = '']) =>
    [name, type, labels.replaceAll('`', ''), words.replaceAll('\n ', '')].join(' | '),
  );
  expect(listed.sort()).toEqual(registered().sort());
});

test('the metrics omit a metric whose value is unknown, and show all other metrics', async () => {
  const figures = parse(await registry.metrics());
  for (const name of [
    'taxclaims_jwks_age_seconds',
    'taxclaims_identity_changes_undelivered',
    'taxclaims_wal_archive_failing_seconds',
  ])
    expect([name, figures.has(name)]).toEqual([name, false]);
  expect(Object.fromEntries([...figures].filter(([name]) => /^taxclaims_(?!http|rate)/.test(name)))).toEqual(
    expect.objectContaining({
      'taxclaims_database_connections{lane="requests",state="idle"}': 2,
      'taxclaims_database_connections{lane="requests",state="busy"}': 3,
      'taxclaims_database_pool_size{lane="requests"}': 6,
      'taxclaims_rights_missing_total{lane="requests"}': 9,
      'taxclaims_database_waiting{lane="requests"}': 3,
      taxclaims_database_long_requests: 1,
      taxclaims_refusals_taken: 0,
      'taxclaims_refusals_waiting{for="database"}': 7,
      'taxclaims_refusals_waiting{for="disk"}': 8,
      taxclaims_refusals_spool_records: 9,
      taxclaims_refusals_spool_bytes: 10,
      taxclaims_refusals_set_aside_bytes: 11,
      taxclaims_refusals_spool_oldest_seconds: 12,
      'taxclaims_jwks_fetches_total{outcome="failure"}': 13,
      'taxclaims_jwks_fetches_total{outcome="keys"}': 1,
      taxclaims_database_objections: 18,
      taxclaims_document_removals_due: 19,
      taxclaims_document_removals_oldest_seconds: 20,
      taxclaims_reminders_unsent: 25,
      taxclaims_reminders_oldest_seconds: 26,
      taxclaims_reminders_cut_off: 27,
      taxclaims_audit_log_over_retention_seconds: 28,
      'taxclaims_housekeeping_age_seconds{task="kept_answers"}': 21,
      'taxclaims_document_store_failures_total{kind="away"}': 15,
      'taxclaims_document_store_failures_total{kind="stalled"}': 16,
      'taxclaims_document_store_failures_total{kind="damaged"}': 17,
    }),
  );
});

test('every 401, 403, 429 and 503 in the source code has a name under which the metrics count the refusal', async () => {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true });
  const files = entries.filter((path) => path.endsWith('.ts'));
  let found = 0;
  for (const path of files) {
    const text = await readFile(join(ROOT, 'src', path), 'utf8');
    for (const { index } of text.matchAll(
      /new RequestError\(\s*'ERROR_(?:UNAUTHORIZED|FORBIDDEN|RATE_LIMITED|UNAVAILABLE)'/g,
    )) {
      found += 1;
      const call = text.slice(index, text.indexOf(');', index));
      expect([path, call]).toEqual([path, expect.stringMatching(/\bkind\b/)]);
    }
  }
  expect(found).toBeGreaterThan(8);
});

test('the metrics count a request by the route of its endpoint, and a request for an unknown path under the route none', () => {
  const routeOf = createRouteFinder(allEndpoints);
  for (const { method, path } of allEndpoints) {
    const sent = path.replaceAll(/\{\w+\}/g, 'c1000000-0000-4000-8000-000000000001');
    const expected = { route: path, method: method.toUpperCase() };
    expect([sent, routeOf(expected.method, sent)]).toEqual([sent, expected]);
    expect(routeOf('GET', `${sent}/`).route).toBe('none');
  }
  expect(routeOf('GET', '/api/reclamations/summary/history').route).toBe('/api/reclamations/{id}/history');
  expect(routeOf('HEAD', '/api/clients')).toEqual({ route: '/api/clients', method: 'HEAD' });
  expect(routeOf('DELETE', '/api/clients').method).toBe('other');
  expect(routeOf('GET', '/docs/docs.js').route).toBe('/docs');
});
