import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openTraces } from '../../src/tracing/traces.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/upload.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

let isFrozen = false;
/** The bodies of the requests that the test’s trace collector received from the service. */
let sent: string[] = [];
let service: Service;

const spans = (): Span[] =>
  sent.flatMap((text) => {
    const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const collector = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.once('end', () => {
    if (isFrozen) return;
    sent.push(text);
    response.end('{}');
  });
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

afterEach(() => {
  isFrozen = false;
  sent = [];
});
afterAll(() => {
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  collector.closeAllConnections();
  collector.close();
});

test('a trace has spans of a request and its transaction, without names or ids of clients and users', async () => {
  service = await startService({ traces: { ratio: 0 } });
  const { clients } = await service.tenant('Traced');
  const token = await service.token('ACCOUNT_MANAGER', [clients]);
  const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${traceId}-${parent}-01` };
  const { status } = await service.ask(`GET /api/clients/${clients}?`, { token, headers });
  expect(status).toBe(200);
  // A request without a parent trace gets no trace, because the sampling ratio is 0.
  await service.ask('GET /api/sites', { token });
  await service.close();

  const [transaction, request, ...others] = spans().sort((one, other) => (one.name < other.name ? 1 : -1));
  expect(others).toEqual([]);
  expect(request).toMatchObject({ name: 'GET /api/clients/{clientId}', traceId, parentSpanId: parent });
  expect(transaction).toMatchObject({ name: 'transaction', traceId, parentSpanId: request?.spanId });
  expect(request && attributesOf(request)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/clients/{clientId}',
    'http.response.status_code': 200,
    'taxclaims.role': 'ACCOUNT_MANAGER',
  });
  expect(transaction && attributesOf(transaction)).toEqual({ 'db.system.name': 'postgresql' });
  expect(BigInt(transaction?.startTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(request?.startTimeUnixNano ?? 1));
  // Times of spans are whole milliseconds, so a transaction can seem to end one millisecond after its request.
  expect(BigInt(transaction?.endTimeUnixNano ?? 1)).toBeLessThanOrEqual(
    BigInt(request?.endTimeUnixNano ?? 0) + 1_000_000n,
  );
  expect(sent.join('')).not.toContain(clients);
  expect(sent.join('')).not.toContain('idp|');
});

test('the trace of a request that fetches the identity provider’s keys has a span for the fetch', async () => {
  service = await startService({ traces: { ratio: 1 } });
  await service.ask('GET /api/clients', { token: await service.token('ADMIN') });
  await service.close();
  expect(
    spans()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['GET /api/clients', 'fetch keys', 'transaction']);
});

test('a trace collector that hangs or is absent delays neither a request nor the end of the service', async () => {
  isFrozen = true;
  service = await startService({ traces: { ratio: 1 } });
  const token = await service.token('ADMIN');
  for (let asked = 0; asked < 600; asked += 1) expect((await service.ask('GET /health', { token })).status).toBe(200);
  await service.close();
  expect(sent).toEqual([]);

  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const address = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:1';
  const traces = await openTraces({ ratio: 1, log });
  traces.keysFetched({ begunMs: 0, endedMs: 1, isFailed: true });
  await traces.close(600_000);
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = address;
  await until(() => lines.some((line) => line.includes('the last traces are lost')));
});

test('only tracing/traces.ts loads OpenTelemetry, and only if traces are switched on', async () => {
  const entries = await readdir(join(import.meta.dirname, '..', '..', 'src'), { recursive: true });
  const naming: string[] = [];
  for (const path of entries.filter((entry) => entry.endsWith('.ts'))) {
    const text = await readFile(join(import.meta.dirname, '..', '..', 'src', path), 'utf8');
    if (text.includes('@opentelemetry')) naming.push(path);
    expect([path, /^import .*@opentelemetry/m.test(text)]).toEqual([path, false]);
  }
  expect(naming).toEqual(['tracing/traces.ts']);
});
