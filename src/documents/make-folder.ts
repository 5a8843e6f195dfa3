import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './content-store.ts';

/**
 * Makes a folder and those above it that are not there. Node's own recursive mkdir never ends where the system
 * refuses a name for want of its parent though that is there, as everything below /proc is.
 * @returns the topmost folder that was made, or undefined where nothing was missing
 * @throws the error of the system, also where something other than a folder is in the way
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  const missing: string[] = [];
  let there = resolve(path);
  while (!(await isFolder(there))) {
    missing.unshift(there);
    there = dirname(there);
  }
  for (const folder of missing) await mkdir(folder, { mode }).catch(unlessMadeMeanwhile(folder));
  return missing[0];
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
