import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export type FileLock = NonNullable<ReturnType<typeof lockFile>>;

/**
 * Locks a file through SQLite, because Node has no file locks. If somebody deletes the locked file, a second process
 * can lock a new file at the same path. @throws SQLite's error
 */
export function lockFile(path: string) {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return {
    release: (): void => {
      if (database.isOpen) database.close();
    },
  };
}
