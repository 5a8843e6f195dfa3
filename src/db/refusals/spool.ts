import { appendFile, lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lockFile } from '../../file-lock.ts';
import { MAX_SPOOL_BYTES, SPOOL_CLOSE_TIMEOUT_MS, MAX_SPOOL_PROCESSES } from '../../limits.ts';
import { makeFolder, syncFolder } from '../../make-folder.ts';
import { readSystemErrorCode } from '../../system-error.ts';
import { withTimeout } from '../../timeout.ts';
import { createAppender, type SpoolFile } from './appender.ts';
import { parseSpoolLine } from './refusal.ts';

/**
 * The spool holds refusals on disk while the database is unavailable. Each process has its own folder in the spool, and
 * adopts the files of ended processes.
 */
export type Spool = Awaited<ReturnType<typeof openSpool>>;

const FILE_SUFFIX = '.refusals';

export async function openSpool(dataDir: string, maxBytes = MAX_SPOOL_BYTES) {
  try {
    return await openSpoolIn(join(dataDir, 'refusals'), maxBytes);
  } catch (error) {
    throw new Error(`DATA_DIR cannot be written to: ${String(error)}`, { cause: error });
  }
}

async function openSpoolIn(folder: string, maxBytes: number) {
  await makeFolder(dirname(folder));
  await makeFolder(folder, 0o700);
  const rejectedPath = join(folder, 'set-aside');
  let setAsideBytes = (await stat(rejectedPath).catch(() => ({ size: 0 }))).size;
  let bytes = setAsideBytes;
  const files = createFileList((size) => {
    bytes += size;
  });
  let number = 0;
  let ownSlot = await takeOwnSlot();
  await assertWritable(ownSlot.folder);
  const appender = createAppender(nextPath, files.seal);
  let unsealed = 0;

  async function takeOwnSlot(): Promise<SpoolSlot> {
    const slot = await takeSlot(folder);
    const found = files.addFound(await listSpoolFiles(slot));
    number = Math.max(number, ...found.map(({ path }) => Number.parseInt(basename(path), 10)));
    return slot;
  }

  async function nextPath(): Promise<string> {
    // If the lock file was deleted, another process could adopt the file that this process is writing.
    if (!(await ownSlot.isLocked())) {
      ownSlot.release();
      ownSlot = await takeOwnSlot();
    }
    return join(ownSlot.folder, `${String((number += 1)).padStart(12, '0')}${FILE_SUFFIX}`);
  }

  const spool = {
    async append(line: string): Promise<void> {
      const size = Buffer.byteLength(line);
      if (bytes + size > maxBytes) throw new Error(`${folder} holds ${maxBytes} bytes of refusals already`);
      bytes += size;
      unsealed += 1;
      await appender.append(line).catch((error: unknown) => {
        bytes -= size;
        throw error;
      });
    },
    async oldest() {
      if (files.drainable().length === 0) {
        unsealed = 0;
        const last = await appender.seal();
        if (last !== undefined) files.seal(last);
      }
      const [file] = files.drainable();
      if (file === undefined) return undefined;
      return {
        /** Returns undefined for a deleted spool file. `torn` is an incomplete last line, which a crash cut off. */
        async read() {
          try {
            const lines = (await readFile(file.path, 'utf8')).split('\n');
            return { lines, torn: lines.pop() ?? '' };
          } catch (error) {
            if (readSystemErrorCode(error) !== 'ENOENT') throw error;
            files.forget(file);
            return undefined;
          }
        },
        async remove(): Promise<void> {
          await rm(file.path, { force: true });
          files.forget(file);
        },
        postpone: () => {
          files.postpone(file);
        },
      };
    },
    async setAside(lines: readonly string[]): Promise<void> {
      const text = lines.map((line) => `${line}\n`).join('');
      await appendFile(rejectedPath, text, { mode: 0o600, flush: true });
      await syncFolder(folder);
      setAsideBytes += Buffer.byteLength(text);
      bytes += Buffer.byteLength(text);
    },
    get isEmpty(): boolean {
      return unsealed === 0 && files.drainable().length === 0;
    },
    async adopt(): Promise<void> {
      files.forgetPostponed();
      for (const slot of await takeAbandonedSlots(folder)) files.adopt(slot, await listSpoolFiles(slot));
      files.releaseEmptied();
    },
    /** Counts the refusals in all spool files, even postponed files; `bytes` includes lines that Postgres rejected. */
    figures() {
      const all = [...files.all(), ...(appender.current ? [appender.current] : [])];
      const records = sumOf(all, 'records');
      const since = Math.min(...all.map((file) => file.sinceMs));
      const oldestMs = records === 0 ? undefined : Math.max(Date.now() - since, 0);
      return Promise.resolve({ records, oldestMs, bytes, setAsideBytes });
    },
    async close(): Promise<void> {
      await withTimeout(SPOOL_CLOSE_TIMEOUT_MS, appender.seal(), () => new Error('the disk does not answer')).catch(
        () => undefined,
      );
      for (const slot of [...files.adoptedSlots(), ownSlot]) slot.release();
    },
  };
  await spool.adopt();
  return spool;
}

/** The files in the slot of this process and in the slots that it has adopted. `count` gets each change of their size. */
function createFileList(count: (bytes: number) => void) {
  const sealed: SpoolFile[] = [];
  const adopted = new Map<SpoolSlot, SpoolFile[]>();
  const postponed = new Set<SpoolFile>();
  const all = (): SpoolFile[] => [...adopted.values(), sealed].flat();

  function releaseEmptied(): void {
    for (const [slot, { length }] of adopted) {
      if (length > 0) continue;
      adopted.delete(slot);
      slot.release();
    }
  }

  return {
    all,
    releaseEmptied,
    drainable: (): SpoolFile[] => all().filter((file) => !postponed.has(file)),
    adoptedSlots: () => adopted.keys(),
    seal: (file: SpoolFile): void => {
      sealed.push(file);
    },
    /** Adds the files that are not known yet, and returns them. */
    addFound(found: readonly SpoolFile[]): readonly SpoolFile[] {
      const known = new Set(sealed.map(({ path }) => path));
      const added = found.filter(({ path }) => !known.has(path));
      sealed.push(...added);
      count(sumOf(added, 'size'));
      return added;
    },
    adopt(slot: SpoolSlot, found: SpoolFile[]): void {
      adopted.set(slot, found);
      count(sumOf(found, 'size'));
    },
    forget(file: SpoolFile): void {
      for (const list of [...adopted.values(), sealed]) if (list.includes(file)) list.splice(list.indexOf(file), 1);
      count(-file.size);
      releaseEmptied();
    },
    postpone(file: SpoolFile): void {
      postponed.add(file);
    },
    forgetPostponed(): void {
      postponed.clear();
    },
  };
}

async function assertWritable(folder: string): Promise<void> {
  const probePath = join(folder, 'probe');
  await writeFile(probePath, '', { mode: 0o600, flush: true });
  await rm(probePath);
}

async function listSpoolFiles({ folder }: SpoolSlot): Promise<SpoolFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(FILE_SUFFIX)).sort();
  const files: SpoolFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (!stats.isFile()) continue;
    // A spool file that cannot be read counts as empty for now; the spool reads it again later.
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    const sinceMs = parseSpoolLine(lines[0] ?? '')?.machineMs ?? Date.now();
    files.push({ path, size: stats.size, records: lines.length - 1, sinceMs });
  }
  return files;
}

function sumOf(files: readonly SpoolFile[], figure: 'size' | 'records'): number {
  return files.reduce((sum, file) => sum + file[figure], 0);
}

/** A folder that one process has locked; the kernel releases the lock when the process ends. */
interface SpoolSlot {
  readonly folder: string;
  /** False if somebody has deleted the lock file; another process could then lock a new file with the same name. */
  isLocked(): Promise<boolean>;
  release(): void;
}

async function takeSlot(folder: string): Promise<SpoolSlot> {
  for (let number = 0; number < MAX_SPOOL_PROCESSES; number += 1) {
    const path = join(folder, String(number));
    await makeFolder(path, 0o700);
    const slot = await tryToLock(path);
    if (slot !== undefined) return slot;
  }
  throw new Error(`${folder} is in use by ${MAX_SPOOL_PROCESSES} processes`);
}

async function takeAbandonedSlots(folder: string): Promise<readonly SpoolSlot[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return (await Promise.all(folders.map(tryToLock))).filter((slot) => slot !== undefined);
}

async function tryToLock(folder: string): Promise<SpoolSlot | undefined> {
  const path = join(folder, 'lock');
  // Does not open an existing lock file, because closing it would release this process's own lock.
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (readSystemErrorCode(error) !== 'EEXIST') throw error;
  });
  const lock = lockFile(path);
  if (lock === undefined) return undefined;
  // While this process holds the lock file open, no other file can get the lock file's inode number.
  const { ino } = await stat(path);
  const isLocked = () =>
    stat(path).then(
      (found) => found.ino === ino,
      () => false,
    );
  return { folder, isLocked, release: lock.release };
}
