import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export type FileLock = NonNullable<ReturnType<typeof lockFile>>;

/**
 * Locks a file through SQLite, because Node has no file locks. The lock no longer protects anything if somebody
 * deletes the file. @throws SQLite's error
 */
export function lockFile(path: string) {
  const lockDatabase = new DatabaseSync(path);
  try {
    lockDatabase.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lockDatabase.close();
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return {
    release: (): void => {
      if (lockDatabase.isOpen) lockDatabase.close();
    },
  };
}
