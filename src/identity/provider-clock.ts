import { setTimeout } from 'node:timers/promises';
import { CLOCK_FURTHEST_MS, CLOCK_GOOD_MS, PROVIDER_ANSWER_MS } from '../limits.ts';

export type ProviderClock = ReturnType<typeof createProviderClock>;

/** By how many ms, at least and at most, the provider's clock is ahead of `performance.now()`. */
export interface ClockAhead {
  readonly least: number;
  readonly most: number;
}

/** A `Date` header has whole seconds; four readings, a quarter of a second apart, narrow it to a quarter. */
const READINGS = 4;
const SECOND = 1_000;

export function createProviderClock({
  url,
  timeoutMs = PROVIDER_ANSWER_MS,
  now = Date.now,
}: {
  readonly url: string;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}) {
  let known: (ClockAhead & { readonly until: number }) | undefined;
  const fresh = (): ClockAhead | undefined =>
    known !== undefined && performance.now() < known.until ? known : undefined;

  async function readOnce(signal: AbortSignal): Promise<ClockAhead> {
    const sent = performance.now();
    const { headers: answer, body } = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { 'cache-control': 'no-cache' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const received = performance.now();
    await body?.cancel();
    const date = Date.parse(answer.get('date') ?? '');
    if (Number.isNaN(date)) throw new Error('the answer says no date');
    // An answer from a cache has the date when the cache got it (RFC 9111, 5.1), and its age in whole seconds.
    const age = Number(answer.get('age') ?? 0) * SECOND || 0;
    const span = age > 0 ? 2 * SECOND : SECOND;
    return { least: date + age - received, most: date + age + span - sent };
  }

  return {
    /** The provider's time; our own time without a recent reading, or where both are too far apart. */
    now: (): number => {
      const [ours, reading] = [now(), fresh()];
      if (reading === undefined) return ours;
      const theirs = performance.now() + (reading.least + reading.most) / 2;
      return Math.abs(theirs - ours) > CLOCK_FURTHEST_MS ? ours : theirs;
    },
    /** The latest time that the provider's clock may show; undefined without a recent reading. */
    latest: (): number | undefined => {
      const reading = fresh();
      return reading && performance.now() + reading.most;
    },
    /** Reads the clock in about a second. @throws Error for an answer without a date */
    async read(signal: AbortSignal): Promise<ClockAhead> {
      let [least, most] = [-Infinity, Infinity];
      for (let count = 0; count < READINGS; count += 1) {
        if (count > 0) await setTimeout(SECOND / READINGS, undefined, { signal, ref: false });
        const one = await readOnce(signal);
        least = Math.max(least, one.least);
        most = Math.min(most, one.most);
      }
      // The dates may come from several machines, or from a clock that was set: the latest date counts.
      known = { least, most: Math.max(least, most), until: performance.now() + CLOCK_GOOD_MS };
      return known;
    },
  };
}
