import { LRUCache } from 'lru-cache';

/* The clock in France, which people there mean by a time without a time zone. */

const FORMAT = new Intl.DateTimeFormat('en', {
  ...{ timeZone: 'Europe/Paris', calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
  ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
});

const HOUR = 3_600_000;

/** How far the clock in Paris is ahead of UTC, by the hour since 1970; `Intl` is slow for a long list of times. */
const aheadByHour = new LRUCache<number, number>({ max: 10_000 });

function aheadOfUtc(instant: number): number {
  const hour = Math.floor(instant / HOUR);
  const known = aheadByHour.get(hour);
  if (known !== undefined) return known;
  const parts = new Map(FORMAT.formatToParts(hour * HOUR).map(({ type, value }) => [type, Number(value)]));
  const of = (part: Intl.DateTimeFormatPartTypes): number => parts.get(part) ?? 0;
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  aheadByHour.set(hour, shown - hour * HOUR);
  return shown - hour * HOUR;
}

/** Returns what the clock in Paris shows at an instant, in whole seconds: `2026-12-31T23:59:59`. */
export function showParisClock(instant: number): string {
  return new Date(instant + aheadOfUtc(instant)).toISOString().slice(0, 19);
}

/** Returns the instants at which the clock in Paris shows a time: none in a skipped hour, two in a repeated one. */
export function findParisInstants(shown: string): readonly number[] {
  const inUtc = Date.parse(`${shown}Z`);
  return [2, 1, 0]
    .map((ahead) => inUtc - ahead * HOUR)
    .filter((instant) => !Number.isNaN(instant) && showParisClock(instant) === shown);
}
