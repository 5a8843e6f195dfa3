import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder for its owner alone, and those above it that are missing, which others may pass as usual: the embedded
 * Postgres may run as another. Each is on the disk when this resolves.
 * One after the other: Node's own recursive mkdir never ends in a file system that takes no folders, such as /proc.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const folder = resolve(path);
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent, 0o777);
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    // Another process may have made it at the same time.
    if (!(await isFolder(folder))) throw error;
  });
  await syncFolder(parent);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The names of new files are on the disk once their folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether an error of the operating system or of SQLite is a certain one. */
export function hasField(error: unknown, field: 'code' | 'errcode', value: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, field) === value;
}
