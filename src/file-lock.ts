import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;

export type FileLock = NonNullable<ReturnType<typeof lockFile>>;

/**
 * Locks a file through SQLite, because Node has no file locks. The lock no longer protects anything if somebody
 * deletes the file. @throws SQLite's error
 */
export function lockFile(path: string) {
  const file = new DatabaseSync(path);
  try {
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { readonly errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
  return {
    release: (): void => {
      if (file.isOpen) file.close();
    },
  };
}
