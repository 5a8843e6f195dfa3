import type { Logger } from 'pino';
import { BREAKING_OFF_MS, CLOSING_MS } from './limits.ts';
import { within } from './within.ts';

/** What has to be ended before the process: it breaks off by itself what takes longer. */
export interface Part {
  close(withinMs: number): Promise<void>;
}

/** The parts of the service that run, in the order in which they were started. */
export interface Parts {
  /** Adds one that has started, where there is one, and gives it back; `atLeastMs` of the end are its own. */
  readonly add: <P extends Part | undefined>(name: string, atLeastMs: number, part: P) => P;
  /** Ends them in reverse order; safe to call twice. */
  readonly close: () => Promise<void>;
}

export function openParts(log: Logger): Parts {
  const left: { readonly name: string; readonly atLeastMs: number; readonly part: Part }[] = [];
  let closing: Promise<void> | undefined;

  /** Each may take what those after it can spare; one that does not end in time, or fails, holds up no other. */
  async function closeAll(): Promise<void> {
    const over = performance.now() + CLOSING_MS;
    for (let last = left.pop(); last !== undefined; last = left.pop()) {
      const { name, atLeastMs, part } = last;
      const spared = left.reduce((sum, other) => sum + other.atLeastMs, 0);
      const withinMs = Math.max(over - performance.now() - spared, atLeastMs);
      const late = (): Error => new Error(`${name} did not end in time`);
      await within(withinMs + BREAKING_OFF_MS, part.close(withinMs), late).catch((error: unknown) => {
        log.error({ err: error }, 'a part of the service was left behind');
      });
    }
  }

  return {
    add: (name, atLeastMs, part) => {
      if (part !== undefined) left.push({ name, atLeastMs, part });
      return part;
    },
    close: () => (closing ??= closeAll()),
  };
}
