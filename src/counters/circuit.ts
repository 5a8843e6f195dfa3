import type { Logger } from 'pino';
import { REDIS_RETRY_MS } from '../limits.ts';
import { Pauses } from '../retries.ts';
import { within } from '../within.ts';
import type { Count } from './counters.ts';

export interface Link {
  increment(limit: string, key: string): Promise<Count>;
  close(): void;
}

export type Connect = (onLost: (error: unknown) => void) => Promise<Link>;

export type Circuit = Awaited<ReturnType<typeof openCircuit>>;

/** Probes count this key to measure whether the place answers in time. */
const PROBE = 'probe';

/**
 * A circuit breaker: no request waits for a place that does not answer. Resolves after the first attempt.
 * @param place for the log; not the address, which may hold a password
 */
export async function openCircuit({
  connect,
  place,
  timeoutMs,
  log,
}: {
  readonly connect: Connect;
  readonly place: string;
  readonly timeoutMs: number;
  readonly log: Logger;
}) {
  let link: Link | undefined;
  let closed = false;
  let isReported = false;
  let retry: NodeJS.Timeout | undefined;
  const pauses = new Pauses(REDIS_RETRY_MS);
  const waiting = new Set<() => void>();
  const inTime = (counted: Promise<Count>): Promise<Count> =>
    within(timeoutMs, counted, () => new Error(`it did not answer within ${timeoutMs} ms`));

  function giveUp(): void {
    for (const leave of waiting) leave();
    waiting.clear();
  }

  function open(broken: Link | undefined, error: unknown): void {
    if (closed || link !== broken) return;
    link = undefined;
    giveUp();
    broken?.close();
    if (!isReported)
      log.warn({ place, reason: reasonOf(error) }, 'requests are not counted together any more');
    isReported = true;
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
      if (isReported) log.info({ place }, 'requests are counted together again');
      isReported = false;
    } catch (error) {
      found?.close();
      open(undefined, error);
    }
  }

  await attempt();
  return {
    async increment(limit: string, key: string): Promise<Count | undefined> {
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
    get isOpen(): boolean {
      return link === undefined;
    },
    close(): void {
      closed = true;
      clearTimeout(retry);
      giveUp();
      link?.close();
      link = undefined;
    },
  };
}

/** The message alone: the properties of a client's error may hold its options. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
