import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

/** The text of all figures, as a registry of prom-client gives it. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsServer {
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

/** Whoever collects them is one or a few. */
const MOST_CONNECTIONS = 20;
const TIME_MS = 10_000;

/** `GET /metrics` and nothing else, on a port of its own, which whoever may not see it is kept from by the network. */
export function createMetricsServer(metrics: MetricsSource): MetricsServer {
  const server = createServer({
    requestTimeout: TIME_MS,
    headersTimeout: TIME_MS,
    keepAliveTimeout: TIME_MS,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', (request, response) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: async () => {
      const closed = promisify(server.close.bind(server))();
      server.closeAllConnections();
      await closed;
    },
  };
}
