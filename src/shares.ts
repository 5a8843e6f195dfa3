import type { Socket } from 'node:net';

interface Share {
  running: number;
  readonly waiting: Set<() => void>;
}

interface Wait {
  readonly maxMs: number;
  /** How many of one holder may wait at a time. */
  readonly maxWaiting: number;
  /** The error of one that waits too long, or for whom there is no place to wait. */
  refusedError(): Error;
  hungUpError(): Error;
}

type Connection = Pick<Socket, 'destroyed' | 'once' | 'off'>;

/**
 * Lets each holder do `maxAtOnce` things at a time; further ones wait for their turn, in the order of their calls. With
 * `wait`, one that has waited for `wait.maxMs` fails, and so does one whose caller closes its connection.
 */
export function createShares(maxAtOnce: number, wait?: Wait) {
  const shares = new Map<string, Share>();

  function awaitTurn({ waiting }: Share, connection?: Connection): Promise<void> {
    if (wait === undefined) return new Promise((resolve) => waiting.add(resolve));
    if (waiting.size >= wait.maxWaiting) return Promise.reject(wait.refusedError());
    if (connection?.destroyed === true) return Promise.reject(wait.hungUpError());
    return new Promise((resolve, reject) => {
      const endWait = (): void => {
        clearTimeout(timer);
        connection?.off('close', hangUp);
        waiting.delete(takeTurn);
      };
      const takeTurn = (): void => {
        endWait();
        resolve();
      };
      const hangUp = (): void => {
        endWait();
        reject(wait.hungUpError());
      };
      const timer = setTimeout(() => {
        endWait();
        reject(wait.refusedError());
      }, wait.maxMs);
      connection?.once('close', hangUp);
      waiting.add(takeTurn);
    });
  }

  return {
    /** `connection` is the connection of the caller, who may close it during the wait. */
    run<T>(holder: string, work: () => Promise<T>, connection?: Connection): Promise<T> {
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
      if (share.running === maxAtOnce) return awaitTurn(share, connection).then(start);
      share.running += 1;
      return start();
    },
  };
}
