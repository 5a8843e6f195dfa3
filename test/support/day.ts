/**
 * The number of a day, which chooses what `npm test` tries where it tries a part: always the same one, so that nobody's
 * change fails for the date. `TEST_DAY` tries another part, and each has a command that tries all of it.
 */
export const DAY = Number(process.env['TEST_DAY'] ?? 20_779);

/** Each in so many of a list, another part with another day. */
export function partOfDay<T>(all: readonly T[], oneIn: number): T[] {
  return all.filter((_, index) => index % oneIn === DAY % oneIn);
}

/** Numbers from 0 up to 1 that are spread evenly, others with another day. */
export function spreadOfDay(count: number): number[] {
  const shift = (DAY * GOLDEN) % 1;
  return Array.from({ length: count }, (_, index) => (index + shift) / count);
}

/** By multiples of it an interval is filled as evenly as can be. */
const GOLDEN = 0.618_033_988_75;
