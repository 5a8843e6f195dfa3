import type { Logger } from 'pino';
import { REDIS_RETRY_MS } from '../limits.ts';
import { Pauses } from '../retries.ts';
import { within } from '../within.ts';
import type { Count } from './counters.ts';

export interface Link {
  increment(limit: string, key: string): Promise<Count>;
  close(): void;
}

export type Connect = (lost: (error: unknown) => void) => Promise<Link>;

/** Lets no request wait for a place that does not answer. */
export interface Circuit {
  /** Never rejects; undefined, after its patience at most, where whoever asks has to count elsewhere. */
  increment(limit: string, key: string): Promise<Count | undefined>;
  /** Whether nobody is sent there: it is tried beside the requests, until it answers again. */
  readonly isOpen: boolean;
  close(): void;
}

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
  const pauses = new Pauses(REDIS_RETRY_MS);
  const waiting = new Set<() => void>();
  const inTime = (counted: Promise<Count>): Promise<Count> =>
    within(patienceMs, counted, () => new Error(`it did not answer within ${patienceMs} ms`));

  function giveUp(): void {
    for (const leave of waiting) leave();
    waiting.clear();
  }

  function open(broken: Link | undefined, error: unknown): void {
    if (closed || link !== broken) return;
    link = undefined;
    giveUp();
    broken?.close();
    if (!isTold) log.warn({ place, reason: reasonOf(error) }, 'requests are not counted together any more');
    isTold = true;
    retry = setTimeout(() => void attempt(), pauses.next()).unref();
  }

  async function attempt(): Promise<void> {
    let found: Link | undefined;
    try {
      found = await connect((error) => {
        if (found !== undefined && link === found) open(found, error);
      });
      await inTime(found.increment(PROBE, PROBE));
      if (closed) {
        found.close();
        return;
      }
      link = found;
      pauses.works();
      if (isTold) log.info({ place }, 'requests are counted together again');
      isTold = false;
    } catch (error) {
      found?.close();
      open(undefined, error);
    }
  }

  await attempt();
  return {
    async increment(limit, key) {
      const present = link;
      if (present === undefined) return undefined;
      const { promise: givenUp, resolve: leave } = Promise.withResolvers<undefined>();
      const away = (): void => {
        leave(undefined);
      };
      waiting.add(away);
      try {
        return await Promise.race([inTime(present.increment(limit, key)), givenUp]);
      } catch (error) {
        open(present, error);
        return undefined;
      } finally {
        waiting.delete(away);
      }
    },
    get isOpen() {
      return link === undefined;
    },
    close() {
      closed = true;
      clearTimeout(retry);
      giveUp();
      link?.close();
      link = undefined;
    },
  };
}

/** The words alone: what else an error of a client holds may be its options. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
