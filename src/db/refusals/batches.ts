import * as limit from '../../limits.ts';
import { Shares } from '../../shares.ts';
import type { RefusalRecorder } from './recorder.ts';
import type { DatedRefusal } from './refusal.ts';

interface WaitingRefusal {
  readonly refusal: DatedRefusal;
  readonly settle: (stored: boolean) => void;
}

export const createRefusalQueue = (): Shares =>
  new Shares({
    total: {
      max: limit.MAX_WAITING_REFUSAL_RECORDS,
      refusedError: () => new Error(`${limit.MAX_WAITING_REFUSAL_RECORDS} refusals wait already`),
    },
  });

/** Stores refusals in the database, one batch after the other. Reports each batch, and each refusal that is late. */
export function createBatches(
  recorder: RefusalRecorder,
  { onStored, onFailed }: { onStored: () => void; onFailed: (error: unknown) => void },
) {
  const queue = createRefusalQueue();
  let waiting: WaitingRefusal[] = [];
  let writing: Promise<void> | undefined;

  /**
   * Writes batches until no refusal waits. Does not chain the promises of the batches: under steady load the chain would
   * grow without end.
   */
  function writeNext(): void {
    writing = undefined;
    if (waiting.length === 0) return;
    const batch = waiting.splice(0, limit.REFUSAL_RECORDS_PER_STATEMENT);
    const settleAll = (stored: boolean): void => {
      for (const { settle } of batch) settle(stored);
      writeNext();
    };
    writing = recorder.record(batch.map(({ refusal }) => refusal)).then(
      () => {
        onStored();
        settleAll(true);
      },
      (error: unknown) => {
        onFailed(error);
        settleAll(false);
      },
    );
  }

  return {
    get isFull(): boolean {
      return queue.isFull;
    },
    get waiting(): number {
      return queue.running;
    },
    /** Queues a refusal; calls `onSettled` once, with true if the database stored the refusal in time. */
    add(refusal: DatedRefusal, onSettled: (stored: boolean) => void): void {
      const leave = queue.enter();
      let isSettled = false;
      const settle = (stored: boolean): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        leave();
        onSettled(stored);
      };
      const timer = setTimeout(() => {
        settle(false);
        onFailed(new Error(`a refusal was not stored within ${limit.REFUSAL_RECORD_TIMEOUT_MS} ms`));
      }, limit.REFUSAL_RECORD_TIMEOUT_MS);
      waiting.push({ refusal, settle });
      if (writing === undefined) writeNext();
    },
    /** Settles as not stored what is in no batch yet. */
    giveUp(): void {
      for (const { settle } of waiting) settle(false);
      waiting = [];
    },
    async finish(): Promise<void> {
      while (writing !== undefined) await writing;
    },
  };
}
