import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../make-folder.ts';

/** A folder that one process has for itself, until it releases it or ends, however it ends. */
export interface Slot {
  readonly folder: string;
  release(): void;
}

/** More processes than anybody starts by accident on one folder. */
const SLOTS = 100;

const SQLITE_BUSY = 5;

/** Takes the first slot that nobody has, with whatever its last holder left there. */
export async function takeSlot(folder: string): Promise<Slot> {
  for (let number = 0; number < SLOTS; number += 1) {
    const path = join(folder, String(number));
    await makeFolder(path, 0o700);
    const slot = await tryToTake(path);
    if (slot !== undefined) return slot;
  }
  throw new Error(`${folder} is in use by ${SLOTS} processes`);
}

/** Takes every other slot that nobody has; those of the living stay theirs. */
export async function takeAbandonedSlots(folder: string): Promise<readonly Slot[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const slots = await Promise.all(folders.map(tryToTake));
  return slots.filter((slot) => slot !== undefined);
}

/**
 * Undefined where another holder has it. Node offers no file locks of its own, but its SQLite takes real ones, which the
 * kernel drops with the process. A lock's file is never removed: whoever had opened it before would hold nothing.
 */
async function tryToTake(folder: string): Promise<Slot | undefined> {
  const path = join(folder, 'lock');
  await createOnce(path);
  const file = new DatabaseSync(path);
  try {
    // The lock is all that is wanted: without a journal beside it.
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if (hasField(error, 'errcode', SQLITE_BUSY)) return undefined;
    throw error;
  }
  return {
    folder,
    release: () => {
      file.close();
    },
  };
}

/** Only one that is new is opened here: to close a file would let go of this process's own lock on it. */
async function createOnce(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (!hasField(error, 'code', 'EEXIST')) throw error;
  }
}

/** Whether an error of the operating system or of SQLite is a certain one. */
function hasField(error: unknown, field: 'code' | 'errcode', value: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, field) === value;
}
