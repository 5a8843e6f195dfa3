import type { Socket } from 'node:net';

type Connection = Pick<Socket, 'destroyed' | 'once' | 'off'>;

interface Wait {
  readonly maxMs: number;
  /** How many of one holder may wait at a time. */
  readonly maxWaiting: number;
  readonly hungUpError: () => Error;
}

interface SharesOptions {
  /** How much may run at once, of all holders together. More is refused at once. */
  readonly total?: { readonly max: number; readonly refusedError: () => Error };
  /**
   * How much of one holder may run at once. More waits for its turn if there is no `refusedError`; with `refusedError`
   * and `wait` it waits for a limited time, and with `refusedError` alone it is refused at once.
   */
  readonly each?: { readonly max: number; readonly refusedError?: () => Error; readonly wait?: Wait };
}

interface Share {
  readonly holder: string | undefined;
  /** How much of the holder runs, or is about to run because its turn has come. */
  running: number;
  readonly waiting: Set<() => void>;
}

/** Limits how much runs at once, in all and for each holder. What waits begins in the order of the calls. */
export class Shares {
  readonly #options: SharesOptions;
  readonly #shares = new Map<string | undefined, Share>();
  #running = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get isFull(): boolean {
    return this.#running >= (this.#options.total?.max ?? Infinity);
  }

  /** Takes a place and returns the function that gives it back. Never waits. @throws the `refusedError` of a limit */
  enter(holder?: string): () => void {
    const share = this.#shareOf(holder);
    if (this.#isUsedUp(share)) throw this.#options.each?.refusedError?.() ?? new Error('The share is used up.');
    share.running += 1;
    const refusal = this.#takePlace(share);
    if (refusal !== undefined) throw refusal;
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave(share);
      isHeld = false;
    };
  }

  /**
   * Runs `work` once it is its turn; without a holder only `total` limits it. `connection` is the connection of the
   * caller, who may close it during the wait. @throws the `refusedError` of a limit, or `hungUpError`
   */
  run<T>(holder: string | undefined, work: () => Promise<T>, connection?: Connection): Promise<T> {
    const share = this.#shareOf(holder);
    if (this.#isUsedUp(share)) return this.#awaitTurn(share, connection).then(() => this.#start(share, work));
    share.running += 1;
    return this.#start(share, work);
  }

  #shareOf(holder: string | undefined): Share {
    let share = this.#shares.get(holder);
    if (share === undefined) {
      share = { holder, running: 0, waiting: new Set() };
      this.#shares.set(holder, share);
    }
    return share;
  }

  #isUsedUp({ holder, running }: Share): boolean {
    return holder !== undefined && running >= (this.#options.each?.max ?? Infinity);
  }

  #awaitTurn({ waiting }: Share, connection?: Connection): Promise<void> {
    const { refusedError, wait } = this.#options.each ?? {};
    if (refusedError === undefined) return new Promise((resolve) => waiting.add(resolve));
    if (wait === undefined || waiting.size >= wait.maxWaiting) return Promise.reject(refusedError());
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
        reject(refusedError());
      }, wait.maxMs);
      connection?.once('close', hangUp);
      waiting.add(takeTurn);
    });
  }

  #start<T>(share: Share, work: () => Promise<T>): Promise<T> {
    const refusal = this.#takePlace(share);
    if (refusal !== undefined) return Promise.reject(refusal);
    const working = work();
    const leave = (): void => {
      this.#leave(share);
    };
    // `finally` would make three promises for each request.
    working.then(leave, leave);
    return working;
  }

  /** Returns the error of `total` if all places are taken; the holder's next one is then tried. */
  #takePlace(share: Share): Error | undefined {
    if (this.isFull) {
      this.#passOn(share);
      return this.#options.total?.refusedError();
    }
    this.#running += 1;
    return undefined;
  }

  #leave(share: Share): void {
    this.#running -= 1;
    this.#passOn(share);
  }

  /** Gives a place in the holder's share to the next one that waits for it. */
  #passOn(share: Share): void {
    const [next] = share.waiting;
    if (next !== undefined) {
      share.waiting.delete(next);
      next();
      return;
    }
    share.running -= 1;
    if (share.running === 0) this.#shares.delete(share.holder);
  }
}
