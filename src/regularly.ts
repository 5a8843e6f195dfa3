import type { Logger } from 'pino';
import { HOUSEKEEPING_MS } from './limits.ts';

export type Housekeeping = ReturnType<typeof regularly>;

/** Works at the start and then every `everyMs`; the next round repeats failed work. */
export function regularly(
  work: (ending: AbortSignal) => Promise<void>,
  failed: string,
  log: Logger,
  everyMs = HOUSEKEEPING_MS,
) {
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
  /** Works once more after the round under way; callers that wait share one round. Never rejects. */
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
