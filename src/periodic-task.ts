import type { Logger } from 'pino';
import { HOUSEKEEPING_PAUSE_MS } from './limits.ts';

export type PeriodicTask = ReturnType<typeof runPeriodically>;

/** Runs the task at the start and then every `intervalMs`; a failed task runs again in the next round. */
export function runPeriodically(
  task: (ending: AbortSignal) => Promise<void>,
  failure: string,
  log: Logger,
  intervalMs = HOUSEKEEPING_PAUSE_MS,
) {
  const abort = new AbortController();
  let current = Promise.resolve();
  let next: Promise<void> | undefined;
  let succeededMs = performance.now();

  async function runRound(): Promise<void> {
    if (abort.signal.aborted) return;
    try {
      await task(abort.signal);
      succeededMs = performance.now();
    } catch (err) {
      log.error({ err }, failure);
    }
  }
  /** Runs the task once more after the current round; waiting callers share that run. Never rejects. */
  function runNow(): Promise<void> {
    next ??= current.then(() => {
      next = undefined;
      return (current = runRound());
    });
    return next;
  }

  void runNow();
  const timer = setInterval(() => void runNow(), intervalMs).unref();
  return {
    runNow,
    ageMs: () => performance.now() - succeededMs,
    async close() {
      abort.abort();
      clearInterval(timer);
      await (next ?? current);
    },
  };
}
