import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../file-lock.ts';
import { makeFolder } from '../../make-folder.ts';
import { codeOf } from '../../system-error.ts';
import { SPOOL_SLOTS } from '../../limits.ts';

/** A folder that one process has for itself, until it releases it or ends, however it ends. */
export interface Slot {
  readonly folder: string;
  release(): void;
}

/** Takes the first slot that nobody has, with whatever its last holder left there. */
export async function takeSlot(folder: string): Promise<Slot> {
  for (let number = 0; number < SPOOL_SLOTS; number += 1) {
    const path = join(folder, String(number));
    await makeFolder(path, 0o700);
    const slot = await tryToTake(path);
    if (slot !== undefined) return slot;
  }
  throw new Error(`${folder} is in use by ${SPOOL_SLOTS} processes`);
}

/** Takes every other slot that nobody has; those of the living stay theirs. */
export async function takeAbandonedSlots(folder: string): Promise<readonly Slot[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const slots = await Promise.all(folders.map(tryToTake));
  return slots.filter((slot) => slot !== undefined);
}

async function tryToTake(folder: string): Promise<Slot | undefined> {
  const path = join(folder, 'lock');
  await createOnce(path);
  const lock = lockFile(path);
  return lock && { folder, release: lock.release };
}

/** Only one that is new is opened here: to close a file would let go of this process's own lock on it. */
async function createOnce(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
