import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Count } from '../counters/counters.ts';
import { openCounters } from '../counters/open.ts';
import { openSpool } from '../db/refusals/spool.ts';
import { endInReverse, type Ending } from '../endings.ts';
import { opening, serveApi } from '../parts.ts';
import { openSeen, type Seen } from '../seen.ts';
import { checkProtocol, createAsking, tellCount } from './messages.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** One of the processes that serve, for as long as the one that has started it lives. */
export interface ServingWorker {
  /** Finishes what was taken and leaves the primary process; safe to call twice. */
  close(): Promise<void>;
}

/** Node ends a worker at once whose primary process is gone. */
export async function startWorker(config: Config, log: Logger): Promise<ServingWorker> {
  const endings: Ending[] = [];
  const counting = createAsking<Count>();
  const begun = Promise.withResolvers<Extract<ToWorker, { kind: 'start' }>>();
  let closing: Promise<void> | undefined;
  const close = (withinMs?: number): Promise<void> => {
    closing ??= endInReverse(endings, log, withinMs).then(() => {
      cluster.worker?.disconnect();
    });
    return closing;
  };
  let registry: Seen['registry'];

  cluster.worker?.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'start':
        begun.resolve(message);
        break;
      case 'end':
        // What is only just being started must not be left behind.
        void starting.then(() => close(message.withinMs));
        break;
      case 'ping':
        tell({ kind: 'pong' });
        break;
      case 'figures-asked':
        registry?.getMetricsAsJSON().then(
          (figures) => {
            tell({ kind: 'figures', id: message.id, figures });
          },
          (error: unknown) => {
            log.warn({ err: error }, 'the figures of a worker could not be collected');
          },
        );
        break;
      case 'counted':
        tellCount(counting, message.counted);
        break;
    }
  });

  const starting = start();
  async function start(): Promise<void> {
    try {
      const { protocol, ground } = await begun.promise;
      checkProtocol(protocol);
      const seen = await openSeen(config, log);
      endings.push({ part: 'the traces', atLeastMs: 0, end: (withinMs) => seen.close(withinMs) });
      const spool = await openSpool(config.dataDir);
      endings.push({ part: 'the spool of refusals', atLeastMs: 200, end: () => spool.close() });
      const counters = await openCounters(config, log, (limit, key) =>
        counting.ask((id) => {
          tell({ kind: 'count', request: { id, limit, key } });
        }),
      );
      endings.push({ part: 'the counters', atLeastMs: 0, end: () => counters.close() });
      const open = opening(config, log, endings, { apiUrl: ground.apiUrl, seen });
      const database = open('requests');
      const { url, ...parts } = await serveApi(config, log, endings, {
        ...{ ground, open, database, spool, counters, seen },
      });
      seen.ask(parts);
      registry = seen.registry;
      tell({ kind: 'serving', url });
    } catch (error) {
      tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
      await close();
    }
  }
  await starting;
  return { close };
}

/** Where the primary process is gone, this one is about to be. */
function tell(message: ToPrimary): void {
  if (cluster.worker?.isConnected() === true) cluster.worker.send(message, () => undefined);
}
