import type { Logger } from 'pino';
import { BREAK_OFF_MS, CLOSING_MS } from './limits.ts';
import { within } from './within.ts';

interface Part {
  close(withinMs: number): Promise<void>;
}

export type Parts = ReturnType<typeof openParts>;

export function openParts(log: Logger) {
  const left: { readonly name: string; readonly atLeastMs: number; readonly part: Part }[] = [];
  let closing: Promise<void> | undefined;

  /** A part may use all time that is not reserved for the others, which close in time even if it hangs. */
  async function closeAll(): Promise<void> {
    const over = performance.now() + CLOSING_MS;
    for (let last = left.pop(); last !== undefined; last = left.pop()) {
      const { name, atLeastMs, part } = last;
      const spared = left.reduce((sum, other) => sum + other.atLeastMs, 0);
      const withinMs = Math.max(over - performance.now() - spared, atLeastMs);
      const late = (): Error => new Error(`${name} did not end in time`);
      await within(withinMs + BREAK_OFF_MS, part.close(withinMs), late).catch((error: unknown) => {
        log.error({ err: error }, 'a part of the service was left behind');
      });
    }
  }

  return {
    /** Registers a part and returns it; its close gets at least `atLeastMs`. */
    add: <P extends Part | undefined>(name: string, atLeastMs: number, part: P): P => {
      if (part !== undefined) left.push({ name, atLeastMs, part });
      return part;
    },
    /** Closes the parts in reverse order; a second call waits for the first. */
    close: () => (closing ??= closeAll()),
  };
}
