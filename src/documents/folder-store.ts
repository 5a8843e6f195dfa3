import { access, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../make-folder.ts';
import { codeOf } from '../system-error.ts';
import { within } from '../within.ts';
import { byBytes, isContentPath, outOfReach, StoreStalled } from './content-store.ts';
import type { ContentStore, Stored } from './content-store.ts';
import { STORE_ANSWER_MS, STORE_STALL_MS } from '../limits.ts';

/** Where a folder store's contents are written aside: on the same file system, so that a rename is enough. */
export function spoolFolderOf(folder: string): string {
  return join(folder, '.partial');
}

/** Contents as files below a folder. What is placed must come from its spool folder. */
export function createFolderStore(folder: string): ContentStore {
  const locate = (path: string): string => {
    if (!isContentPath(path)) throw new Error(`${path} is no path of a content`);
    return join(folder, path);
  };

  /** No such file is an answer only as long as the store's own folder is there, and no disk was taken away. */
  const unlessAbsent = async (error: unknown): Promise<undefined> => {
    if (!isAbsence(error)) throw outOfReach(error);
    await reaching(access(spoolFolderOf(folder)));
  };

  return {
    place: (path, file) => inTime(reaching(move(file, locate(path))), STORE_STALL_MS),
    async size(path) {
      if (!isContentPath(path)) return undefined;
      return inTime(stat(locate(path)).then(({ size }) => size, unlessAbsent));
    },
    async read(path, range) {
      // Opened here: a stream that opens by itself would fail only once the answer has begun.
      const opening = open(locate(path));
      const file = await inTime(opening.catch(unlessAbsent), STORE_ANSWER_MS, () => {
        void opening.then((late) => late.close()).catch(() => undefined);
      });
      if (file === undefined) throw new Error(`there is no content at ${path}`);
      return file.createReadStream(range);
    },
    async *list() {
      await inTime(reaching(access(spoolFolderOf(folder))));
      yield* contentsBelow(folder, '');
    },
    async remove(path) {
      if (isContentPath(path)) await inTime(rm(locate(path)).catch(unlessAbsent));
    },
    close: () => undefined,
  };
}

/** One folder after the other, each with its names alone in memory; what is gone meanwhile is left out. */
async function* contentsBelow(folder: string, above: string): AsyncGenerator<Stored> {
  const reading = readdir(join(folder, above), { withFileTypes: true });
  const entries = (await inTime(reaching(reading.catch(unlessGone)))) ?? [];
  // Before its slash a folder sorts as its name, and with it as its contents do.
  const names = entries.map((entry) => `${above}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  for (const name of names.sort(byBytes)) {
    if (name.endsWith('/') && isContentPath(name.slice(0, -1))) yield* contentsBelow(folder, name);
    if (!isContentPath(name)) continue;
    const file = await inTime(reaching(stat(join(folder, name)).catch(unlessGone)));
    if (file?.isFile() === true) yield { path: name, size: file.size };
  }
}

function unlessGone(error: unknown): undefined {
  if (!isAbsence(error)) throw error;
  return undefined;
}

/** A rename is for good once the folder that names the file is synced. */
async function move(file: string, target: string): Promise<void> {
  const folder = dirname(target);
  await makeFolder(folder, 0o700);
  await rename(file, target);
  await syncFolder(folder);
}

/** A disk behind a network may say nothing at all. What it does late is as good as undone: a plan stands for it. */
function inTime<T>(work: Promise<T>, limitMs = STORE_ANSWER_MS, giveUp = (): void => undefined): Promise<T> {
  return within(limitMs, work, () => {
    giveUp();
    return outOfReach(new StoreStalled('the disk did not answer in time'));
  });
}

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw outOfReach(error);
  }
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}
