import { DatabaseSync } from 'node:sqlite';

export interface Lock {
  release(): void;
}

/**
 * Takes a lock on a file, for this process alone; the kernel drops it with the process, however that ends.
 * Node offers no file locks of its own, but its SQLite takes real ones.
 * @throws Error when another holder has it.
 */
export function takeLock(path: string): Lock {
  const file = new DatabaseSync(path);
  try {
    file.exec('begin exclusive');
  } catch (cause) {
    file.close();
    throw new Error(`${path} is locked by another process: is the service already running there?`, { cause });
  }
  return {
    release: () => {
      file.close();
    },
  };
}
