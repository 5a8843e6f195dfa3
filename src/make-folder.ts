import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './system-error.ts';

/** Syncs each new folder to the disk. Node's own recursive mkdir never ends below /proc. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = [];
  let there = resolve(path);
  while (!(await isFolder(there))) {
    missing.unshift(there);
    there = dirname(there);
  }
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
    });
    await syncFolder(dirname(folder));
  }
}

/** Syncs a folder: only then the names of its new files survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  if (found === undefined || found.isDirectory()) return found !== undefined;
  const words = `ENOTDIR: ${path} is no folder`;
  throw Object.assign(new Error(words), { code: 'ENOTDIR', syscall: 'mkdir' });
}
