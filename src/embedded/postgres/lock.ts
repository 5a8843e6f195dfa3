import { basename, dirname } from 'node:path';
import { lockFile } from '../../file-lock.ts';
import type { FileLock } from '../../file-lock.ts';

/**
 * Takes a lock on a file of the data folder, for this process alone.
 * @throws Error in one line when another holder has it, or the file cannot be written.
 */
export function takeLock(path: string): FileLock {
  const [folder, name] = [dirname(path), basename(path)];
  let lock: FileLock | undefined;
  try {
    lock = lockFile(path);
  } catch (cause) {
    throw new Error(`DATA_DIR ${folder} cannot be used: ${name} cannot be locked, ${String(cause)}`, {
      cause,
    });
  }
  if (lock !== undefined) return lock;
  throw new Error(
    `DATA_DIR ${folder} is in use, for ${name} is locked by another process: does the service run there already?`,
  );
}
