interface Share {
  running: number;
  readonly waiting: Set<() => void>;
}

interface Wait {
  readonly maxMs: number;
  tooLongError(): Error;
}

/**
 * Lets each holder do `maxAtOnce` things at a time; further ones wait for their turn, in the order of their calls. With
 * `wait`, one that has waited for `wait.maxMs` fails with `wait.tooLongError()`.
 */
export function createShares(maxAtOnce: number, wait?: Wait) {
  const shares = new Map<string, Share>();

  function awaitTurn({ waiting }: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const takeTurn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer =
        wait &&
        setTimeout(() => {
          waiting.delete(takeTurn);
          reject(wait.tooLongError());
        }, wait.maxMs);
      waiting.add(takeTurn);
    });
  }

  return {
    run<T>(holder: string, work: () => Promise<T>): Promise<T> {
      const share = shares.get(holder) ?? { running: 0, waiting: new Set() };
      shares.set(holder, share);
      const finish = (): void => {
        const [next] = share.waiting;
        if (next === undefined) {
          share.running -= 1;
          if (share.running === 0) shares.delete(holder);
          return;
        }
        share.waiting.delete(next);
        next();
      };
      const start = (): Promise<T> => {
        const working = work();
        // `finally` would make three promises for each request.
        working.then(finish, finish);
        return working;
      };
      if (share.running === maxAtOnce) return awaitTurn(share).then(start);
      share.running += 1;
      return start();
    },
  };
}
