import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { ServerOptions } from './http/server.ts';
import type { KeySetOptions } from './identity/key-set.ts';
import type { Sources } from './metrics/sources.ts';
import type { RequestObserver } from './observed.ts';
import { openTraces } from './tracing/traces.ts';

/** How the service is seen from outside; with nothing configured nobody is told anything. */
export interface Seen {
  readonly observers: readonly RequestObserver[];
  readonly onRefused: ServerOptions['onRefused'];
  readonly onFetched: KeySetOptions['onFetched'];
  readonly waited: ((lane: string) => (ms: number) => void) | undefined;
  /** The connections to Postgres, by what they are for. */
  readonly lanes: Record<string, Database>;
  /** Undefined where METRICS_PORT is not set. */
  readonly registry: Registry | undefined;
  /** Asks these parts too when figures are collected, and the lanes; once. */
  ask(parts: Omit<Sources, 'lanes'>): void;
  /** Sends the last traces, for as long as there is time. */
  close(withinMs: number): Promise<void>;
}

export async function openSeen(
  { metricsPort, traces: traced }: Pick<Config, 'metricsPort' | 'traces'>,
  log: Logger,
): Promise<Seen> {
  const metrics =
    metricsPort === undefined ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  const traces = traced && (await openTraces({ ...traced, log }));
  const lanes: Record<string, Database> = {};
  return {
    observers: [metrics, traces].filter((observer) => observer !== undefined),
    onRefused: metrics?.refusedConnection,
    onFetched: traces?.fetched,
    waited: metrics?.waited,
    lanes,
    registry: metrics?.registry,
    ask: (parts) => metrics?.from({ ...parts, lanes }),
    close: async (withinMs) => traces?.close(withinMs),
  };
}
