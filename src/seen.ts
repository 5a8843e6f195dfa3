import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { ServerOptions } from './http/server.ts';
import type { KeySetOptions } from './identity/key-set.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { Sources } from './metrics/sources.ts';
import type { RequestObserver } from './observed.ts';
import { openTraces } from './tracing/traces.ts';

export interface Seen {
  readonly observers: readonly RequestObserver[];
  readonly onRefused: ServerOptions['onRefused'];
  readonly onFetched: KeySetOptions['onFetched'];
  readonly waited: ((lane: string) => (ms: number) => void) | undefined;
  readonly lanes: Record<string, Database>;
  readonly registry: Registry | undefined;
  /** Asks these parts too when figures are collected, and the lanes; once. */
  ask(parts: Omit<Sources, 'lanes'>): void;
  close(withinMs: number): Promise<void>;
}

export async function openSeen(
  { metricsPort, traces: traced }: Pick<Config, 'metricsPort' | 'traces'>,
  log: Logger,
): Promise<Seen> {
  const metrics = metricsPort === undefined ? undefined : createMetrics();
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
