import { hash } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Options } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { withTimeout } from '../timeout.ts';
import type { CounterConnector } from './circuit.ts';
import { REDIS_CONNECT_TIMEOUT_MS, RATE_LIMIT_WINDOW_MS } from '../limits.ts';

const RATE_LIMIT_STORE_OPTIONS = { windowMs: RATE_LIMIT_WINDOW_MS } as Options;

/**
 * A Redis key consists of the deployment's prefix, the name of the limit and a digest of the caller, so the key does
 * not reveal the caller. A Redis key expires at the end of the minute whose requests it counts.
 */
export function redisConnector({ url, prefix }: { readonly url: string; readonly prefix: string }): CounterConnector {
  return async (onLost) => {
    const client = createClient({
      url,
      // While Redis is unreachable, requests are counted in memory, and the circuit breaker tries to reconnect.
      disableOfflineQueue: true,
      socket: { connectTimeout: REDIS_CONNECT_TIMEOUT_MS, reconnectStrategy: false },
    });
    const close = (): void => {
      if (client.isOpen) client.destroy();
    };
    client.on('error', onLost);
    client.on('end', () => {
      onLost(new Error('the connection has ended'));
    });
    const store = new RedisStore({
      prefix: `${prefix}:`,
      sendCommand: async (...words: string[]) => client.sendCommand(words),
    });
    const connected = client.connect().then(() => store.init(RATE_LIMIT_STORE_OPTIONS));
    try {
      await withTimeout(
        REDIS_CONNECT_TIMEOUT_MS,
        connected,
        () => new Error(`it took no client within ${REDIS_CONNECT_TIMEOUT_MS} ms`),
      );
    } catch (error) {
      close();
      throw error;
    }
    return { increment: (limit, key) => store.increment(`${limit}:${hash('sha256', key, 'base64url')}`), close };
  };
}
