import type { Logger } from 'pino';
import { HOUSEKEEPING_PAUSE_MS } from './limits.ts';

export type PeriodicTask = ReturnType<typeof runPeriodically>;

/** Runs the task at the start and then every `intervalMs`; a failed task runs again in the next round. */
export function runPeriodically(
  task: (abortController: AbortSignal) => Promise<void>,
  failureMessage: string,
  log: Logger,
  intervalMs = HOUSEKEEPING_PAUSE_MS,
) {
  const abortController = new AbortController();
  let currentRound = Promise.resolve();
  let nextRound: Promise<void> | undefined;
  let lastSuccessMs = performance.now();

  async function runRound(): Promise<void> {
    if (abortController.signal.aborted) return;
    try {
      await task(abortController.signal);
      lastSuccessMs = performance.now();
    } catch (err) {
      log.error({ err }, failureMessage);
    }
  }
  /** Runs the task once more after the current round; waiting callers share that run. Never rejects. */
  function runRoundNow(): Promise<void> {
    nextRound ??= currentRound.then(() => {
      nextRound = undefined;
      return (currentRound = runRound());
    });
    return nextRound;
  }

  void runRoundNow();
  const roundTimer = setInterval(() => void runRoundNow(), intervalMs).unref();
  return {
    runNow: runRoundNow,
    ageMs: () => performance.now() - lastSuccessMs,
    async close() {
      abortController.abort();
      clearInterval(roundTimer);
      await (nextRound ?? currentRound);
    },
  };
}
