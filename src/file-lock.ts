import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

export interface FileLock {
  readonly release: () => void;
}

/**
 * Locks a file; undefined while another process holds the lock. The kernel releases the lock when the process ends.
 * Node has no file locks of its own, but its SQLite takes real ones. Nobody may remove the file: its lock would protect
 * nothing. @throws the error of SQLite for a file that cannot be written
 */
export function lockFile(path: string): FileLock | undefined {
  const file = new DatabaseSync(path);
  try {
    // The journal stays in memory, so that no second file appears.
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
