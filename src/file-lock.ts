import { DatabaseSync } from 'node:sqlite';

/** What SQLite calls a file on which somebody else has a lock. */
const BUSY = 5;

export interface FileLock {
  readonly release: () => void;
}

/**
 * Locks a file for this process alone; undefined where another has it. The kernel drops the lock with the process,
 * however that ends. Node offers no file locks of its own, but its SQLite takes real ones. The file is never to be
 * removed: whoever had opened it before would hold nothing.
 * @throws the error of SQLite where the file cannot be written
 */
export function lockFile(path: string): FileLock | undefined {
  const file = new DatabaseSync(path);
  try {
    // The lock is all that is wanted: without a journal beside it.
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      if (file.isOpen) file.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === BUSY;
}
