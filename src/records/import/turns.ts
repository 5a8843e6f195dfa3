import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { RequestError } from '../../errors.ts';
import { throwIfHungUp } from '../../http/hang-up.ts';
import { BODY_WORK_MS, YIELD_AFTER_MS } from '../../limits.ts';

/** Lets other requests run between pieces of long work. @throws RequestError once the caller is gone or time is up */
export type NextTurn = () => Promise<void>;

export function createNextTurn(request: IncomingMessage, wholeMs = BODY_WORK_MS): NextTurn {
  let startedAt: number | undefined;
  let turn = 0;
  return async () => {
    const now = performance.now();
    if (startedAt === undefined) [startedAt, turn] = [now, now];
    if (now - turn < YIELD_AFTER_MS) return;
    await setImmediate();
    throwIfHungUp(request);
    turn = performance.now();
    if (turn - startedAt > wholeMs)
      throw new RequestError('ERROR_UNAVAILABLE', 'the work on the body took too long', { kind: 'busy' });
  };
}
