import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What SQLite calls a file on which somebody else has a lock. */
const BUSY = 5;

export interface Lock {
  release(): void;
}

/**
 * Takes a lock on a file, for this process alone; the kernel drops it with the process, however that ends.
 * Node offers no file locks of its own, but its SQLite takes real ones.
 * @throws Error in one line when another holder has it, or the file cannot be written.
 */
export function takeLock(path: string): Lock {
  let file: DatabaseSync | undefined;
  const release = (): void => {
    if (file?.isOpen === true) file.close();
  };
  try {
    file = new DatabaseSync(path);
    file.exec('begin exclusive');
  } catch (cause) {
    release();
    const [folder, name] = [dirname(path), basename(path)];
    throw new Error(
      isBusy(cause)
        ? `DATA_DIR ${folder} is in use, for ${name} is locked by another process: does the service run there already?`
        : `DATA_DIR ${folder} cannot be used: ${name} cannot be locked, ${String(cause)}`,
      { cause },
    );
  }
  return { release };
}

function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === BUSY;
}
