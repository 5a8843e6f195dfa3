import type { ClientRateLimitInfo } from 'express-rate-limit';
import type { Logger } from 'pino';
import { REDIS_RECONNECT_PAUSES_MS } from '../limits.ts';
import { Backoff } from '../retries.ts';
import { withTimeout } from '../timeout.ts';

export interface CounterConnection {
  increment(limit: string, key: string): Promise<ClientRateLimitInfo>;
  close(): void;
}

export type CounterConnector = (onLost: (error: unknown) => void) => Promise<CounterConnection>;

export type CircuitBreaker = Awaited<ReturnType<typeof createCircuitBreaker>>;

/** The Redis key that the circuit breaker increments to check that Redis answers in time. */
const PROBE_KEY = 'probe';

/**
 * A circuit breaker: while Redis does not answer, no request waits for Redis. The returned promise resolves after the
 * first attempt to connect to Redis, even a failed one.
 * @param backendName the name in the log, and not the address, which may contain a password
 */
export async function createCircuitBreaker({
  connect,
  name,
  timeoutMs,
  log,
}: {
  readonly connect: CounterConnector;
  readonly name: string;
  readonly timeoutMs: number;
  readonly log: Logger;
}) {
  let connection: CounterConnection | undefined;
  let isShutDown = false;
  let isReported = false;
  let retryTimer: NodeJS.Timeout | undefined;
  const backoff = new Backoff(REDIS_RECONNECT_PAUSES_MS);
  const abandons = new Set<() => void>();
  const inTime = (counted: Promise<ClientRateLimitInfo>): Promise<ClientRateLimitInfo> =>
    withTimeout(timeoutMs, counted, () => new Error(`it did not answer within ${timeoutMs} ms`));

  function abandonAll(): void {
    for (const abandon of abandons) abandon();
    abandons.clear();
  }

  function openCircuit(failed: CounterConnection | undefined, error: unknown): void {
    if (isShutDown || connection !== failed) return;
    connection = undefined;
    abandonAll();
    failed?.close();
    if (!isReported)
      log.warn(
        { place: name, reason: errorMessage(error) },
        'the shared rate-limit counters are unreachable: each process counts alone',
      );
    isReported = true;
    retryTimer = setTimeout(() => void reconnect(), backoff.nextPauseMs()).unref();
  }

  async function reconnect(): Promise<void> {
    let fresh: CounterConnection | undefined;
    try {
      fresh = await connect((error) => {
        if (fresh !== undefined && connection === fresh) openCircuit(fresh, error);
      });
      await inTime(fresh.increment(PROBE_KEY, PROBE_KEY));
      if (isShutDown) {
        fresh.close();
        return;
      }
      connection = fresh;
      backoff.recordSuccess();
      if (isReported) log.info({ place: name }, 'the shared rate-limit counters are reachable again');
      isReported = false;
    } catch (error) {
      fresh?.close();
      openCircuit(undefined, error);
    }
  }

  await reconnect();
  return {
    async increment(limit: string, key: string): Promise<ClientRateLimitInfo | undefined> {
      const current = connection;
      if (current === undefined) return undefined;
      const { promise: abandoned, resolve: abandon } = Promise.withResolvers<undefined>();
      const abandonRequest = (): void => {
        abandon(undefined);
      };
      abandons.add(abandonRequest);
      try {
        return await Promise.race([inTime(current.increment(limit, key)), abandoned]);
      } catch (error) {
        openCircuit(current, error);
        return undefined;
      } finally {
        abandons.delete(abandonRequest);
      }
    },
    get isOpen(): boolean {
      return connection === undefined;
    },
    close(): void {
      isShutDown = true;
      clearTimeout(retryTimer);
      abandonAll();
      connection?.close();
      connection = undefined;
    },
  };
}

/** Returns only the error's message for the log: other properties of a Redis error may contain the Redis password. */
function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
