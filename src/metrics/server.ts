import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import type { Registry } from 'prom-client';
import { METRICS_CONNECTION_TIMEOUT_MS, MAX_METRICS_CONNECTIONS, METRICS_CACHE_MS } from '../limits.ts';
import { createCachedFunction } from '../retries.ts';

export type MetricsServer = ReturnType<typeof createMetricsServer>;

export interface MetricsServerOptions {
  readonly maxConnectionMs?: number;
  /** For how many ms the server returns metrics from its cache, because collecting metrics slows requests. */
  readonly cacheMs?: number;
}

/** Serves `GET /metrics` on its own port without authentication: the network must restrict access to the port. */
export function createMetricsServer(
  registry: Registry,
  { maxConnectionMs = METRICS_CONNECTION_TIMEOUT_MS, cacheMs = METRICS_CACHE_MS }: MetricsServerOptions = {},
) {
  const server = createServer({ headersTimeout: maxConnectionMs, requestTimeout: maxConnectionMs });
  const sockets = new Set<Socket>();
  const collect = createCachedFunction(() => registry.metrics(), cacheMs);

  server.on('connection', (socket: Socket) => {
    // If there are too many connections the server closes the oldest, so that idle connections do not lock out a
    // metrics collector.
    const [oldest] = sockets;
    if (sockets.size >= MAX_METRICS_CONNECTIONS) oldest?.destroy();
    sockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), maxConnectionMs).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      sockets.delete(socket);
    });
  });
  server.on('request', (request, response) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Connection', 'close');
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    collect().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return {
    listen: (port: number, host: string) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: async (): Promise<void> => {
      const closing = promisify(server.close.bind(server))();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closing;
    },
  };
}
