import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { RequestError } from '../../errors.ts';
import { throwIfHungUp } from '../../http/hang-up.ts';
import { BODY_WORK_TIMEOUT_MS, MAX_WORK_BEFORE_YIELD_MS } from '../../limits.ts';

/** Lets other requests run between pieces of long work. @throws RequestError once the caller is gone or time is up */
export type TurnAwaiter = () => Promise<void>;

export function createTurnAwaiter(request: IncomingMessage, wholeMs = BODY_WORK_TIMEOUT_MS): TurnAwaiter {
  let firstTurnStartedAt: number | undefined;
  let turnStartedAt = 0;
  return async () => {
    const now = performance.now();
    if (firstTurnStartedAt === undefined) [firstTurnStartedAt, turnStartedAt] = [now, now];
    if (now - turnStartedAt < MAX_WORK_BEFORE_YIELD_MS) return;
    await setImmediate();
    throwIfHungUp(request);
    turnStartedAt = performance.now();
    if (turnStartedAt - firstTurnStartedAt > wholeMs)
      throw new RequestError('ERROR_UNAVAILABLE', 'the work on the body took too long', { kind: 'busy' });
  };
}
