import type { Logger } from 'pino';
import { REPEATED_SIGNAL_MS, SHUTDOWN_ABORT_MS, SHUTDOWN_TIMEOUT_MS } from './limits.ts';
import { withTimeout } from './timeout.ts';

const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `onFirst` at the first signal that ends a process, and `onRepeated` at a later one. A repetition right after the
 * first signal is ignored, because npm sends each Ctrl-C twice.
 */
export function listenForShutdown(
  source: NodeJS.EventEmitter,
  onFirst: (signal: NodeJS.Signals) => void,
  onRepeated: (signal: NodeJS.Signals) => void,
): void {
  let firstMs: number | undefined;
  for (const signal of SHUTDOWN_SIGNALS) {
    source.on(signal, () => {
      if (firstMs === undefined) {
        firstMs = performance.now();
        onFirst(signal);
      } else if (performance.now() - firstMs > REPEATED_SIGNAL_MS) {
        onRepeated(signal);
      }
    });
  }
}

/** Ends a process as if it did not handle the signal. */
export function endBySignal(target: NodeJS.Process, signal: NodeJS.Signals): void {
  target.removeAllListeners(signal);
  target.kill(target.pid, signal);
}

interface Closeable {
  close(withinMs: number): Promise<void>;
}

export type ShutdownList = ReturnType<typeof createShutdownList>;

export function createShutdownList(log: Logger) {
  const parts: { readonly name: string; readonly atLeastMs: number; readonly part: Closeable }[] = [];
  let closed: Promise<void> | undefined;

  /** Gives each `close` all the remaining time except the time that is reserved for parts that close later. */
  async function closeAllParts(): Promise<void> {
    const deadlineMs = performance.now() + SHUTDOWN_TIMEOUT_MS;
    for (let next = parts.pop(); next !== undefined; next = parts.pop()) {
      const { name, atLeastMs, part } = next;
      const reservedMs = parts.reduce((sum, other) => sum + other.atLeastMs, 0);
      const limitMs = Math.max(deadlineMs - performance.now() - reservedMs, atLeastMs);
      const late = (): Error => new Error(`${name} did not end in time`);
      await withTimeout(limitMs + SHUTDOWN_ABORT_MS, part.close(limitMs), late).catch((err: unknown) => {
        log.error({ err }, 'a part of the service did not close in time');
      });
    }
  }

  return {
    /** Registers a part of the service, whose `close` gets at least `atLeastMs` at shutdown; returns the part. */
    register: <P extends Closeable | undefined>(name: string, atLeastMs: number, part: P): P => {
      if (part !== undefined) parts.push({ name, atLeastMs, part });
      return part;
    },
    /** Closes the parts of the service, the last registered part first; a second call waits for the first call. */
    close: () => (closed ??= closeAllParts()),
  };
}
