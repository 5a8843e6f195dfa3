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
  backendName,
  timeoutMs,
  log,
}: {
  readonly connect: CounterConnector;
  readonly backendName: string;
  readonly timeoutMs: number;
  readonly log: Logger;
}) {
  let connection: CounterConnection | undefined;
  let isShutDown = false;
  let isOutageReported = false;
  let retryTimer: NodeJS.Timeout | undefined;
  const reconnectBackoff = new Backoff(REDIS_RECONNECT_PAUSES_MS);
  const waitingRequestAbandoners = new Set<() => void>();
  const withCounterTimeout = (counted: Promise<ClientRateLimitInfo>): Promise<ClientRateLimitInfo> =>
    withTimeout(timeoutMs, counted, () => new Error(`it did not answer within ${timeoutMs} ms`));

  function abandonWaitingRequests(): void {
    for (const resolveAbandoned of waitingRequestAbandoners) resolveAbandoned();
    waitingRequestAbandoners.clear();
  }

  function openCircuit(failedConnection: CounterConnection | undefined, error: unknown): void {
    if (isShutDown || connection !== failedConnection) return;
    connection = undefined;
    abandonWaitingRequests();
    failedConnection?.close();
    if (!isOutageReported)
      log.warn(
        { place: backendName, reason: errorMessage(error) },
        'the shared rate-limit counters are unreachable: each process counts alone',
      );
    isOutageReported = true;
    retryTimer = setTimeout(() => void tryToConnect(), reconnectBackoff.nextPauseMs()).unref();
  }

  async function tryToConnect(): Promise<void> {
    let newConnection: CounterConnection | undefined;
    try {
      newConnection = await connect((error) => {
        if (newConnection !== undefined && connection === newConnection) openCircuit(newConnection, error);
      });
      await withCounterTimeout(newConnection.increment(PROBE_KEY, PROBE_KEY));
      if (isShutDown) {
        newConnection.close();
        return;
      }
      connection = newConnection;
      reconnectBackoff.recordSuccess();
      if (isOutageReported) log.info({ place: backendName }, 'the shared rate-limit counters are reachable again');
      isOutageReported = false;
    } catch (error) {
      newConnection?.close();
      openCircuit(undefined, error);
    }
  }

  await tryToConnect();
  return {
    async increment(limit: string, key: string): Promise<ClientRateLimitInfo | undefined> {
      const currentConnection = connection;
      if (currentConnection === undefined) return undefined;
      const { promise: abandoned, resolve: resolveAbandoned } = Promise.withResolvers<undefined>();
      const abandonRequest = (): void => {
        resolveAbandoned(undefined);
      };
      waitingRequestAbandoners.add(abandonRequest);
      try {
        return await Promise.race([withCounterTimeout(currentConnection.increment(limit, key)), abandoned]);
      } catch (error) {
        openCircuit(currentConnection, error);
        return undefined;
      } finally {
        waitingRequestAbandoners.delete(abandonRequest);
      }
    },
    get isOpen(): boolean {
      return connection === undefined;
    },
    close(): void {
      isShutDown = true;
      clearTimeout(retryTimer);
      abandonWaitingRequests();
      connection?.close();
      connection = undefined;
    },
  };
}

/** Returns only the error's message for the log: other properties of a Redis error may contain the Redis password. */
function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
