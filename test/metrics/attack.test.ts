import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { createMetricsServer } from '../../src/metrics/server.ts';
import type { MetricsServer, MetricsServerOptions } from '../../src/metrics/server.ts';
import { ask } from '../support/http.ts';
import { layLine } from '../support/line.ts';
import type { Line } from '../support/line.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/upload.ts';
import { figuresAt } from './figures.ts';

describe('the metrics server', () => {
  let server: MetricsServer;
  let port: number;
  let collections = 0;

  async function serve(options: MetricsServerOptions, size = 10): Promise<void> {
    collections = 0;
    const registry = new Registry();
    new Gauge({
      ...{ name: 'large', help: 'x'.repeat(size), registers: [registry] },
      collect() {
        collections += 1;
        this.set(1);
      },
    });
    server = createMetricsServer(registry, options);
    port = await server.listen(0, '127.0.0.1');
  }
  afterEach(() => server.close());

  async function open(bytes: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  test('the metrics server closes the connection of a client that reads the response too slowly', async () => {
    // The metrics server’s response is larger than what the operating system buffers for a slow reader.
    await serve({ maxConnectionMs: 500 }, 50_000_000);
    const socket = await open('GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n');
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await once(socket, 'close');
    expect(socket.bytesRead).toBeLessThan(50_000_000);
  });

  test('the metrics server answers a new connection however many connections are open, and closes the oldest connections', async () => {
    await serve({ maxConnectionMs: 600_000 });
    const held = await Promise.all(Array.from({ length: 60 }, () => open('')));
    const closed = Promise.all(held.slice(0, 40).map((socket) => once(socket, 'close')));
    expect((await ask(port, 'GET /metrics')).status).toBe(200);
    await closed;
    expect(held.slice(-19).map(({ destroyed }) => destroyed)).not.toContain(true);
  });

  test('the metrics server collects the values of the metrics once for all requests within the cache time', async () => {
    await serve({ cacheMs: 600_000 });
    await Promise.all(Array.from({ length: 15 }, () => ask(port, 'GET /metrics')));
    expect((await ask(port, 'GET /metrics')).text).toContain('large 1\n');
    expect(collections).toBe(1);
  });
});

describe('the metrics of the service', () => {
  let service: Service;
  let line: Line;
  beforeAll(async () => {
    line = await layLine();
    service = await startService({ metrics: { cacheMs: 0 }, databaseUrl: (url) => line.via(url) });
  });
  afterAll(async () => {
    line.speak();
    line.close();
    await service.close();
  });

  test('no caller can add a series to the metrics, whatever paths, methods and tokens they send', async () => {
    const tenant = await service.tenant('Own');
    const admin = await service.token('ADMIN');
    const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'PURGE', 'M-SEARCH', 'OPTIONS'];
    const paths = [
      () => `/api/${randomUUID()}`,
      () => `/api/clients/${randomUUID()}`,
      () => `/api/clients/${tenant.clients}/${randomUUID()}`,
      () => `/docs/${randomUUID()}`,
      () => `/api/sites?${randomUUID()}=1`,
      () => `/%${randomUUID()}`,
      () => `//${randomUUID()}`,
    ];
    const tokens = [
      () => Promise.resolve(randomUUID()),
      () => service.token('CLIENT', [randomUUID()], { sub: `idp|${randomUUID()}` }),
      () => Promise.resolve(admin),
    ];
    const wave = async (): Promise<Set<string>> => {
      for (const method of methods)
        for (const path of paths)
          await Promise.all(
            tokens.flatMap((token) =>
              [1, 2, 3, 4].map(async () => ask(service.port, `${method} ${path()}`, { token: await token() })),
            ),
          );
      await until(async () => (await figuresAt(service.metricsPort)).get('taxclaims_http_requests_in_flight') === 0);
      return new Set((await figuresAt(service.metricsPort)).keys());
    };
    const first = await wave();
    const second = await wave();
    const ours = [...second].filter((series) => series.startsWith('taxclaims_'));
    expect(ours.length).toBeGreaterThan(300);
    expect(ours.filter((series) => !first.has(series))).toEqual([]);
    expect(ours.filter((series) => /[0-9a-f]{8}-|M-SEARCH|PURGE|idp/.test(series))).toEqual([]);
  });

  test('while Postgres does not answer, GET /metrics omits the metrics that need Postgres and shows all other metrics', async () => {
    expect((await figuresAt(service.metricsPort)).get('taxclaims_identity_changes_undelivered')).toBe(0);
    line.mute();
    const figures = await figuresAt(service.metricsPort);
    expect(figures.has('taxclaims_identity_changes_undelivered')).toBe(false);
    expect(figures.has('taxclaims_identity_changes_oldest_seconds')).toBe(false);
    expect(figures.get('taxclaims_refusals_spool_records')).toBe(0);
    expect(figures.get('taxclaims_database_waiting{lane="requests"}')).toBe(0);
    line.speak();
  });

  test('the metrics show how many audit records of refused requests wait on disk to be stored, and the age of the oldest record', async () => {
    line.mute();
    for (let asked = 0; asked < 3; asked += 1) await service.ask('GET /api/clients');
    const figures = await figuresAt(service.metricsPort);
    expect(figures.get('taxclaims_refusals_spool_records')).toBe(3);
    expect(figures.get('taxclaims_refusals_spool_bytes')).toBeGreaterThan(900);
    expect(figures.get('taxclaims_refusals_spool_oldest_seconds')).toBeGreaterThan(0);
    expect(figures.get('taxclaims_refusals_taken')).toBe(0);
    line.speak();
    await until(async () => (await figuresAt(service.metricsPort)).get('taxclaims_refusals_spool_records') === 0);
  });
});
