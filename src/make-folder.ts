import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './system-error.ts';

/**
 * Makes a folder and its parents, each synced to the disk. Node's own recursive mkdir never ends below /proc.
 * @throws the error of the system, also where something other than a folder is in the way
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const missing: string[] = [];
  let there = resolve(path);
  while (!(await isFolder(there))) {
    missing.unshift(there);
    there = dirname(there);
  }
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch(unlessMadeMeanwhile(folder));
    await syncFolder(dirname(folder));
  }
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

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  if (found !== undefined && !found.isDirectory()) throw notAFolder(path);
  return found !== undefined;
}

function unlessMadeMeanwhile(folder: string): (error: unknown) => Promise<void> {
  return async (error) => {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(folder))) throw error;
  };
}

function notAFolder(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: ${path} is no folder`), { code: 'ENOTDIR', syscall: 'mkdir' });
}
