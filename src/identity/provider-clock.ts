import { setTimeout } from 'node:timers/promises';
import { CLOCK_FURTHEST_MS, CLOCK_GOOD_MS, PROVIDER_ANSWER_MS } from '../limits.ts';

export type ProviderClock = ReturnType<typeof createProviderClock>;

/** Between which two numbers of milliseconds it is ahead of `performance.now()`. */
export interface Reading {
  readonly least: number;
  readonly most: number;
}

export interface ProviderClockOptions {
  /** Any address of the provider's: every answer says a date. */
  readonly url: string;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** A date has whole seconds: so many, at different parts of a second, tell it to the fourth part of one. */
const READINGS = 4;
const SECOND = 1_000;

/** The identity provider's clock, as far as its answers tell it; its times are milliseconds since the epoch. */
export function createProviderClock({
  url,
  timeoutMs = PROVIDER_ANSWER_MS,
  now = Date.now,
}: ProviderClockOptions) {
  let known: (Reading & { readonly until: number }) | undefined;
  const fresh = (): Reading | undefined =>
    known !== undefined && performance.now() < known.until ? known : undefined;

  async function readOnce(signal: AbortSignal): Promise<Reading> {
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
    // What a cache answers has the date at which it was filled (RFC 9111, 5.1), and its age in whole seconds as well.
    const age = Number(answer.get('age') ?? 0) * SECOND || 0;
    const span = age > 0 ? 2 * SECOND : SECOND;
    return { least: date + age - received, most: date + age + span - sent };
  }

  return {
    /** What it shows at present; what ours shows where its answers have told nothing lately, or nothing that can be. */
    now: (): number => {
      const [ours, reading] = [now(), fresh()];
      if (reading === undefined) return ours;
      const theirs = performance.now() + (reading.least + reading.most) / 2;
      return Math.abs(theirs - ours) > CLOCK_FURTHEST_MS ? ours : theirs;
    },
    /** The latest that it can show at present; undefined where its answers have told nothing lately. */
    latest: (): number | undefined => {
      const reading = fresh();
      return reading && performance.now() + reading.most;
    },
    /**
     * Asks it for the time, which takes a second.
     * @throws Error where it does not answer, or says no date
     */
    async read(signal: AbortSignal): Promise<Reading> {
      let [least, most] = [-Infinity, Infinity];
      for (let count = 0; count < READINGS; count += 1) {
        if (count > 0) await setTimeout(SECOND / READINGS, undefined, { signal, ref: false });
        const one = await readOnce(signal);
        least = Math.max(least, one.least);
        most = Math.min(most, one.most);
      }
      // Dates of several machines, or of a clock that was set meanwhile: the latest of them counts.
      known = { least, most: Math.max(least, most), until: performance.now() + CLOCK_GOOD_MS };
      return known;
    },
  };
}
