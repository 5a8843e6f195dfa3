import type { Connect } from './circuit.ts';
import type { Count } from './counters.ts';

export type AskToCount = (limit: string, key: string) => Promise<Count>;

/** A way that is always there: whether anybody answers at its end, the circuit finds out. */
export function countedBy(ask: AskToCount): Connect {
  return () => Promise.resolve({ increment: ask, close: () => undefined });
}
