import type { Logger } from 'pino';
import type { Count } from './counters.ts';
import { createPatience } from './patience.ts';

/** A way to the place where several count together, until it is lost. */
export interface Link {
  /** Counts one request of whoever `key` is. */
  increment(limit: string, key: string): Promise<Count>;
  close(): void;
}

/** Opens a way; `lost` is called where it breaks later. */
export type Connect = (lost: (error: unknown) => void) => Promise<Link>;

/** Lets no request wait for a place that does not answer. */
export interface Circuit {
  /** Never rejects; undefined, after its patience at most, where whoever asks has to count elsewhere. */
  increment(limit: string, key: string): Promise<Count | undefined>;
  /** Whether nobody is sent there: it is tried beside the requests, until it answers again. */
  readonly isOpen: boolean;
  close(): void;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** What lasted as long as that is no flickering. */
const STEADY_MS = 60_000;
/** Counted where nobody's requests are, to see that the place answers, and in time. */
const PROBE = 'probe';

/**
 * Resolves once the first attempt is over, whatever it gave.
 * @param place as it stands in the log, in which no address does: one may hold a password
 */
export async function openCircuit(options: {
  readonly connect: Connect;
  readonly place: string;
  /** What is added to a request at most, and only to those that are under way at that moment. */
  readonly patienceMs: number;
  readonly log: Logger;
}): Promise<Circuit> {
  const { connect, place, patienceMs, log } = options;
  let link: Link | undefined;
  let closed = false;
  let isTold = false;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let linkedAt = 0;
  const waiting = new Set<() => void>();
  const patience = createPatience(patienceMs);

  function open(broken: Link | undefined, error: unknown): void {
    if (closed || link !== broken) return;
    if (link !== undefined && performance.now() - linkedAt > STEADY_MS) retryMs = FIRST_RETRY_MS;
    link = undefined;
    for (const giveUp of waiting) giveUp();
    broken?.close();
    if (!isTold) log.warn({ place, reason: reasonOf(error) }, 'requests are not counted together any more');
    isTold = true;
    retry = setTimeout(() => void attempt(), retryMs).unref();
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }

  async function attempt(): Promise<void> {
    let found: Link | undefined;
    try {
      found = await connect((error) => {
        if (found !== undefined && link === found) open(found, error);
      });
      await patience.with(found.increment(PROBE, PROBE));
      if (closed) {
        found.close();
        return;
      }
      link = found;
      linkedAt = performance.now();
      if (isTold) log.info({ place }, 'requests are counted together again');
      isTold = false;
    } catch (error) {
      found?.close();
      open(undefined, error);
    }
  }

  await attempt();
  return {
    increment(limit, key) {
      const present = link;
      if (present === undefined) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const settle = (count: Count | undefined): void => {
          waiting.delete(giveUp);
          resolve(count);
        };
        const giveUp = (): void => {
          settle(undefined);
        };
        waiting.add(giveUp);
        patience.with(present.increment(limit, key)).then(settle, (error: unknown) => {
          open(present, error);
          giveUp();
        });
      });
    },
    get isOpen() {
      return link === undefined;
    },
    close() {
      closed = true;
      clearTimeout(retry);
      for (const giveUp of waiting) giveUp();
      link?.close();
      link = undefined;
    },
  };
}

/** The words alone: what else an error of a client holds may be its options. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
