import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

export interface FileLock {
  readonly release: () => void;
}

/**
 * Locks a file for this process alone; undefined where another has it. The kernel drops the lock with the process. Node
 * offers no file locks of its own, but its SQLite takes real ones. A removed file locks nothing.
 * @throws the error of SQLite where the file cannot be written
 */
export function lockFile(path: string): FileLock | undefined {
  const file = new DatabaseSync(path);
  try {
    // Without a journal beside the file.
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { readonly errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
  return {
    release: () => {
      if (file.isOpen) file.close();
    },
  };
}
