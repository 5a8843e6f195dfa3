import type { Logger } from 'pino';
import { HOUSEKEEPING_MS } from './limits.ts';

/** What is to be done from time to time, whoever asks for what. */
export interface Housekeeping {
  /** Does it now: however many ask meanwhile, one round is under way, and one is yet to begin. Never rejects. */
  sweep(): Promise<void>;
  /** Since it succeeded last, or since the start where it never did. */
  ageMs(): number;
  /** Begins no round any more; resolves when the one under way has ended. */
  close(): Promise<void>;
}

/** Works at the start, for what was left while nobody worked, and then every so often; what failed is done the next time. */
export function regularly(
  work: (ending: AbortSignal) => Promise<void>,
  failed: string,
  log: Logger,
  everyMs = HOUSEKEEPING_MS,
): Housekeeping {
  const ending = new AbortController();
  let underWay = Promise.resolve();
  let next: Promise<void> | undefined;
  let succeededMs = performance.now();

  async function round(): Promise<void> {
    if (ending.signal.aborted) return;
    try {
      await work(ending.signal);
      succeededMs = performance.now();
    } catch (err) {
      log.error({ err }, failed);
    }
  }
  function sweep(): Promise<void> {
    next ??= underWay.then(() => {
      next = undefined;
      return (underWay = round());
    });
    return next;
  }

  void sweep();
  const timer = setInterval(() => void sweep(), everyMs).unref();
  return {
    sweep,
    ageMs: () => performance.now() - succeededMs,
    async close() {
      ending.abort();
      clearInterval(timer);
      await (next ?? underWay);
    },
  };
}
