/**
 * The number of the day: what `npm test` tries a part of is another part tomorrow, and has a command that tries all of it.
 * What failed on another day is tried again with its number in `TEST_DAY`.
 */
export const DAY = Number(process.env['TEST_DAY'] ?? Math.floor(Date.now() / 86_400_000));

/** Each in so many of a list, another part each day. */
export function partOfDay<T>(all: readonly T[], oneIn: number): T[] {
  return all.filter((_, index) => index % oneIn === DAY % oneIn);
}

/** Numbers from 0 up to 1 that are spread evenly, others each day. */
export function spreadOfDay(count: number): number[] {
  const shift = (DAY * GOLDEN) % 1;
  return Array.from({ length: count }, (_, index) => (index + shift) / count);
}

/** By multiples of it an interval is filled as evenly as can be. */
const GOLDEN = 0.618_033_988_75;
