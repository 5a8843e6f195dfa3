import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Figures } from '../metrics/of-all.ts';
import type { Ground } from '../parts.ts';
import { within } from '../within.ts';
import { createAsking, PROTOCOL } from './messages.ts';
import type { Counted, ToCount, ToPrimary, ToWorker } from './messages.ts';

/** One process that serves, as its primary process sees it. */
export interface Member {
  readonly number: number;
  readonly pid: number | undefined;
  /** For how long it has served; 0 where it never did. */
  readonly servedMs: number;
  /** Resolves with its address; rejects where it ends before it serves. */
  readonly serving: Promise<string>;
  /** How it ended, in words; never rejects. */
  readonly ended: Promise<string>;
  /** Told to end by us: its end is no loss. */
  readonly isTold: boolean;
  /** Undefined where it does not answer in time. */
  figures(): Promise<Figures | undefined>;
  /** Finishes what it has taken; what is not finished by then is ended by force. */
  end(withinMs: number): Promise<void>;
}

/** Counts a request for all of them; answers in words that can be sent. */
export type CountForAll = (
  limit: string,
  key: string,
) => Promise<{ readonly totalHits: number; readonly resetMs: number }>;

/** How long nothing may be heard of a worker, in pings, which are counted in our own turns: a machine that slept has not heard us. */
export interface Patience {
  readonly pingMs: number;
  /** A worker answers within milliseconds; one that has missed so many in a row hangs. */
  readonly missed: number;
  /** One that serves nobody after so many hangs at its start, also where it answers. */
  readonly starting: number;
}

const PATIENCE: Patience = { pingMs: 5_000, missed: 6, starting: 12 };
const FIGURES_MS = 1_000;
/** After its time to end, until it is ended by force. */
const FORCE_MS = 500;

/**
 * The workers take connections from one socket, which all of them hold. Where the primary process takes them, as is Node's
 * default, one that it is just handing to a worker that dies is open for ever, and answered by nobody.
 */
cluster.schedulingPolicy = cluster.SCHED_NONE;

export function startMember({
  ground,
  count,
  log,
  patience = PATIENCE,
}: {
  readonly ground: Ground;
  readonly count: CountForAll;
  readonly log: Logger;
  readonly patience?: Patience | undefined;
}): Member {
  const worker = cluster.fork();
  const asking = createAsking<Figures>();
  const serving = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<string>();
  let servingSince: number | undefined;
  let reason: string | undefined;
  let isTold = false;
  let missed = 0;

  async function counted({ id, limit, key }: ToCount): Promise<Counted> {
    try {
      return { id, ...(await count(limit, key)) };
    } catch (error) {
      return { id, reason: String(error) };
    }
  }

  worker.on('online', () => {
    tell(worker, { kind: 'start', protocol: PROTOCOL, ground });
  });
  worker.on('message', (message: ToPrimary) => {
    switch (message.kind) {
      case 'serving':
        servingSince = performance.now();
        missed = 0;
        serving.resolve(message.url);
        break;
      case 'failed':
        reason = message.reason;
        break;
      case 'pong':
        if (servingSince !== undefined) missed = 0;
        break;
      case 'figures':
        asking.answered(message.id, message.figures);
        break;
      case 'count':
        void counted(message.request).then((told) => {
          tell(worker, { kind: 'counted', counted: told });
        });
        break;
    }
  });
  const pinging = setInterval(() => {
    const isServing = servingSince !== undefined;
    if (missed >= (isServing ? patience.missed : patience.starting)) {
      reason ??= isServing ? 'it did not answer any more' : 'it did not serve in time';
      log.error({ worker: worker.id, reason }, 'a worker hangs, and is ended by force');
      worker.process.kill('SIGKILL');
    }
    missed += 1;
    tell(worker, { kind: 'ping' });
  }, patience.pingMs).unref();
  worker.on('error', (error) => {
    log.warn({ err: error, worker: worker.id }, 'a worker could not be told something');
  });
  worker.once('exit', (code: number | null, signal: string | null) => {
    clearInterval(pinging);
    const how = reason ?? `it ended with ${String(signal ?? code)}`;
    serving.reject(new Error(how));
    ended.resolve(how);
  });
  serving.promise.catch(() => undefined);

  return {
    number: worker.id,
    pid: worker.process.pid,
    get servedMs() {
      return servingSince === undefined ? 0 : performance.now() - servingSince;
    },
    serving: serving.promise,
    ended: ended.promise,
    get isTold() {
      return isTold;
    },
    figures: () =>
      within<Figures | undefined>(
        FIGURES_MS,
        Promise.race([
          asking.ask((id) => {
            tell(worker, { kind: 'figures-asked', id });
          }),
          ended.promise.then(() => undefined),
        ]),
        () => new Error('it does not answer'),
      ).catch(() => undefined),
    async end(withinMs) {
      isTold = true;
      tell(worker, { kind: 'end', withinMs });
      const late = (): Error => new Error('it did not end in time');
      await within(withinMs + FORCE_MS, ended.promise, late).catch((error: unknown) => {
        log.error({ err: error, worker: worker.id }, 'a worker is ended by force');
        worker.process.kill('SIGKILL');
      });
      await ended.promise;
    },
  };
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
