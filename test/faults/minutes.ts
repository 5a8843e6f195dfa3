import { HEALTH } from './journal.ts';
import type { Entry } from './journal.ts';

const MINUTE_MS = 60_000;

/** One line for each minute: how many were answered, how fast, and what went wrong meanwhile. */
export function minutesOf(
  entries: readonly Entry[],
  faults: readonly { readonly name: string; readonly at: number }[],
): string {
  const start = Math.min(...entries.slice(0, 100).map(({ at }) => at));
  const minuteOf = ({ at }: { readonly at: number }): number => Math.floor((at - start) / MINUTE_MS);
  const requests = Map.groupBy(
    entries.filter(({ operation }) => operation !== HEALTH),
    minuteOf,
  );
  const lines = [...requests]
    .sort(([one], [other]) => one - other)
    .map(([minute, sent]) => {
      const times = sent
        .filter(({ status, lost }) => lost === null && status !== 503)
        .map(({ ms }) => ms)
        .sort((one, other) => one - other);
      const at = (share: number): string => `${times[Math.floor(times.length * share)] ?? 0} ms`;
      const failed = sent.length - times.length;
      const names = faults.filter((fault) => minuteOf(fault) === minute).map(({ name }) => name);
      return `minute ${minute + 1}: ${sent.length} requests, p50 ${at(0.5)}, p99 ${at(0.99)}, ${failed} 503 or lost  ${names.join(', ')}`;
    });
  return lines.join('\n');
}
