import { setTimeout } from 'node:timers/promises';
import { MAX_CLOCK_DIFFERENCE_MS, CLOCK_READING_MAX_AGE_MS, PROVIDER_RESPONSE_TIMEOUT_MS } from '../limits.ts';

export type ProviderClock = ReturnType<typeof createProviderClock>;

/** The smallest and largest possible difference in ms between the provider's clock and `performance.now()`. */
interface ClockDifference {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The provider's `Date` header has only whole seconds; four readings, 250 ms apart, give the time to within 250 ms. */
const CLOCK_READING_COUNT = 4;

/** `findUrl` returns the address that is asked for its `Date`, or rejects while the provider does not tell it. */
export function createProviderClock({
  findUrl,
  timeoutMs = PROVIDER_RESPONSE_TIMEOUT_MS,
  now = Date.now,
}: {
  readonly findUrl: () => Promise<string>;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}) {
  let reading: (ClockDifference & { readonly until: number }) | undefined;
  const freshReading = (): ClockDifference | undefined =>
    reading !== undefined && performance.now() < reading.until ? reading : undefined;

  async function readOnce(signal: AbortSignal): Promise<ClockDifference> {
    const url = await findUrl();
    const sentMs = performance.now();
    const { headers: answer, body } = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { 'cache-control': 'no-cache' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const receivedMs = performance.now();
    await body?.cancel();
    const dateMs = Date.parse(answer.get('date') ?? '');
    if (Number.isNaN(dateMs)) throw new Error('the answer says no date');
    // A cached response has the original `Date` header, and an `Age` header in whole seconds (RFC 9111, 5.1).
    const ageMs = Number(answer.get('age') ?? 0) * 1_000 || 0;
    const marginMs = ageMs > 0 ? 2 * 1_000 : 1_000;
    return { minMs: dateMs + ageMs - receivedMs, maxMs: dateMs + ageMs + marginMs - sentMs };
  }

  return {
    /** Returns the provider's time; our own time if the provider's clock is unknown or differs by too much. */
    now: (): number => {
      const [own, reading] = [now(), freshReading()];
      if (reading === undefined) return own;
      const providerMs = performance.now() + (reading.minMs + reading.maxMs) / 2;
      return Math.abs(providerMs - own) > MAX_CLOCK_DIFFERENCE_MS ? own : providerMs;
    },
    /** The latest time that the provider's clock may show; undefined without a recent reading. */
    latestTime: (): number | undefined => {
      const reading = freshReading();
      return reading && performance.now() + reading.maxMs;
    },
    /** Reads the provider's clock four times in about a second. @throws Error for an answer without a date */
    async read(signal: AbortSignal): Promise<ClockDifference> {
      let [minMs, maxMs] = [-Infinity, Infinity];
      for (let count = 0; count < CLOCK_READING_COUNT; count += 1) {
        if (count > 0) await setTimeout(1_000 / CLOCK_READING_COUNT, undefined, { signal, ref: false });
        const single = await readOnce(signal);
        minMs = Math.max(minMs, single.minMs);
        maxMs = Math.min(maxMs, single.maxMs);
      }
      // If readings contradict each other, because several machines answer or a clock was set, the latest time counts.
      reading = { minMs, maxMs: Math.max(minMs, maxMs), until: performance.now() + CLOCK_READING_MAX_AGE_MS };
      return reading;
    },
  };
}
