import { RequestError } from '../errors.ts';
import { StoreStalled } from './content-store.ts';
import type { ContentStore } from './content-store.ts';

export interface StoreFailures {
  readonly away: number;
  readonly stalled: number;
  readonly damaged: number;
}

/** The same store; counts what it does not do. `damaged` counts a content, and gives the error to throw. */
export function counting(store: ContentStore): {
  readonly store: ContentStore;
  readonly failures: StoreFailures;
  readonly failed: (error: unknown) => void;
  readonly damaged: (reason: string) => Error;
} {
  const failures = { away: 0, stalled: 0, damaged: 0 };
  const failed = (error: unknown): void => {
    if (!(error instanceof RequestError) || error.code !== 'ERROR_UNAVAILABLE') return;
    failures[error.cause instanceof StoreStalled ? 'stalled' : 'away'] += 1;
  };
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  return {
    failures,
    failed,
    damaged: (reason) => {
      failures.damaged += 1;
      return new Error(reason);
    },
    store: {
      ...store,
      place: (path, file) => counted(store.place(path, file)),
      size: (path) => counted(store.size(path)),
      read: (path, range) => counted(store.read(path, range)),
      remove: (path) => counted(store.remove(path)),
    },
  };
}
