import type { Logger } from 'pino';
import { BREAKING_OFF_MS, CLOSING_MS } from './limits.ts';
import { within } from './within.ts';

/** How one part is ended, within the time given, of which it is sure to have `atLeastMs`. */
export interface Ending {
  readonly part: string;
  readonly atLeastMs: number;
  readonly end: (withinMs: number) => Promise<void>;
}

/**
 * The server first, which drains, and the database last, which the others still need while they end. Each may take what
 * those after it can spare; one that does not end in that time, or fails, keeps none of the others from ending.
 */
export async function endInReverse(
  endings: readonly Ending[],
  log: Logger,
  closingMs = CLOSING_MS,
): Promise<void> {
  const over = performance.now() + closingMs;
  const left = [...endings];
  for (let ending = left.pop(); ending !== undefined; ending = left.pop()) {
    const { part, atLeastMs, end } = ending;
    const spared = left.reduce((sum, other) => sum + other.atLeastMs, 0);
    const withinMs = Math.max(over - performance.now() - spared, atLeastMs);
    const late = (): Error => new Error(`${part} did not end in time`);
    // A part breaks off by itself what takes longer; only one that fails to do so is left behind.
    await within(withinMs + BREAKING_OFF_MS, end(withinMs), late).catch((error: unknown) => {
      log.error({ err: error }, 'a part of the service was left behind');
    });
  }
}
