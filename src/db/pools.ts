import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { INTERNAL_STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { openDatabase } from './database.ts';
import { primaryLogger, trackPrimary } from './primary.ts';

const ONE_CONNECTION = { poolSize: 1, statementTimeoutMs: INTERNAL_STATEMENT_TIMEOUT_MS } as const;

/**
 * Opens a pool of connections for each purpose, so that health checks, refusals, changes and metrics never wait for a
 * connection that requests use. The pools connect when they are first used, and ask together which server is the primary.
 *
 * @param onWaited returns for each pool what is told how many milliseconds a request waited for a connection
 */
export function openPools(
  config: Config['database'] & { readonly url: string },
  log: Logger,
  onWaited?: (name: string) => (ms: number) => void,
) {
  const primary = trackPrimary(config.url, primaryLogger(log), config.passwordFile);
  const open = (name: string, own = {}) =>
    openDatabase({ ...config, log, primary, onWaited: onWaited?.(name), ...own });
  return {
    requests: open('requests'),
    health: open('health', ONE_CONNECTION),
    refusals: open('refusals', ONE_CONNECTION),
    changes: open('changes', ONE_CONNECTION),
    metrics: open('metrics', ONE_CONNECTION),
  };
}
