import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../file-lock.ts';
import { SPOOL_SLOTS } from '../../limits.ts';
import { makeFolder } from '../../make-folder.ts';
import { codeOf } from '../../system-error.ts';

/** A folder of one process, until it releases it or ends, however it ends. */
export interface Slot {
  readonly folder: string;
  /** False once somebody has removed it: whoever makes it anew would have it as well. */
  isThere(): Promise<boolean>;
  release(): void;
}

export async function takeSlot(folder: string): Promise<Slot> {
  for (let number = 0; number < SPOOL_SLOTS; number += 1) {
    const path = join(folder, String(number));
    await makeFolder(path, 0o700);
    const slot = await tryToTake(path);
    if (slot !== undefined) return slot;
  }
  throw new Error(`${folder} is in use by ${SPOOL_SLOTS} processes`);
}

export async function takeAbandonedSlots(folder: string): Promise<readonly Slot[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const slots = await Promise.all(folders.map(tryToTake));
  return slots.filter((slot) => slot !== undefined);
}

async function tryToTake(folder: string): Promise<Slot | undefined> {
  const path = join(folder, 'lock');
  // Never opened where it exists: closing it would release this process's own lock on it.
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const lock = lockFile(path);
  if (lock === undefined) return undefined;
  // No other file has its number while the lock holds it open.
  const { ino } = await stat(path);
  const isThere = () =>
    stat(path).then(
      (found) => found.ino === ino,
      () => false,
    );
  return { folder, isThere, release: lock.release };
}
