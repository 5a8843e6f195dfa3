/** Returns random numbers that are at least 0 and less than 1. The same seed gives the same numbers. */
export type Random = () => number;

/** Creates a random generator by the algorithm Mulberry32, which is good enough to choose requests. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function anyOf<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices[Math.floor(random() * choices.length)];
}
