import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readSystemErrorCode } from './system-error.ts';

/**
 * Creates a folder and its missing parents, and syncs each new folder to the disk. Node's own recursive mkdir never
 * ends below /proc.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = [];
  let existing = resolve(path);
  while (!(await isFolder(existing))) {
    missing.unshift(existing);
    existing = dirname(existing);
  }
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch(async (error: unknown) => {
      if (readSystemErrorCode(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
    });
    await syncFolder(dirname(folder));
  }
}

/** Syncs a folder, because the names of its new files would otherwise not survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    if (readSystemErrorCode(error) !== 'ENOENT') throw error;
  });
  if (stats === undefined || stats.isDirectory()) return stats !== undefined;
  throw Object.assign(new Error(`ENOTDIR: ${path} is no folder`), { code: 'ENOTDIR', syscall: 'mkdir' });
}
