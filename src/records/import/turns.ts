import type { IncomingMessage } from 'node:http';
import { RequestError } from '../../errors.ts';
import { throwIfHungUp } from '../../http/hang-up.ts';
import { BODY_WORK_TIMEOUT_MS, MAX_WORK_BEFORE_YIELD_MS } from '../../limits.ts';
import { waitForLoopTurn } from '../../loop-turns.ts';

/** Lets other requests run between pieces of long work. @throws RequestError once the caller is gone or time is up */
export type TurnAwaiter = () => Promise<void>;

export function createTurnAwaiter(
  request: Pick<IncomingMessage, 'socket'>,
  wholeMs = BODY_WORK_TIMEOUT_MS,
): TurnAwaiter {
  let startedAt: number | undefined;
  let turnAt = -Infinity;
  return async () => {
    if (performance.now() - turnAt < MAX_WORK_BEFORE_YIELD_MS) return;
    await waitForLoopTurn();
    throwIfHungUp(request);
    turnAt = performance.now();
    startedAt ??= turnAt;
    if (turnAt - startedAt > wholeMs)
      throw new RequestError('ERROR_UNAVAILABLE', 'the work on the body took too long', { kind: 'busy' });
  };
}
