/** Waits for answers, each for the same time. */
export interface Patience {
  /** @throws Error where it takes longer; the work itself goes on */
  with<T>(work: Promise<T>): Promise<T>;
}

/** So many looks whether an answer is there make up the whole time. */
const LOOKS = 5;

/**
 * Looks at intervals, in between which whatever has arrived is read: time in which this process is busy with something else,
 * and could have read no answer, is not held against whoever gives it.
 */
export function createPatience(limitMs: number): Patience {
  /** Those who wait, the first one first, with the number of the look that was the last before they did. */
  const waiting = new Map<(error: Error) => void, number>();
  let look = 0;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    timer ??= setInterval(() => {
      look += 1;
      for (const [giveUp, since] of waiting) {
        if (look - since < LOOKS) break;
        waiting.delete(giveUp);
        giveUp(new Error(`it did not answer within ${limitMs} ms`));
      }
      if (waiting.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    }, limitMs / LOOKS).unref();
  }

  return {
    with: (work) =>
      new Promise((resolve, reject) => {
        waiting.set(reject, look);
        begin();
        work.then(resolve, reject).finally(() => waiting.delete(reject));
      }),
  };
}
