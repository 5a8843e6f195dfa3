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
  const rejectedLinesFilePath = join(folder, 'set-aside');
  let setAsideBytes = (await stat(rejectedLinesFilePath).catch(() => ({ size: 0 }))).size;
  let bytes = setAsideBytes;
  const sealedFiles: SpoolFile[] = [];
  const adoptedFiles = new Map<SpoolSlot, SpoolFile[]>();
  const postponedFiles = new Set<SpoolFile>();
  let fileNumber = 0;
  let ownSlot = await takeOwnSlot();
  await assertWritable(ownSlot.folder);
  const appender = createAppender(chooseNextFilePath, (file) => {
    sealedFiles.push(file);
  });
  let unsealedLineCount = 0;

  async function takeOwnSlot(): Promise<SpoolSlot> {
    const slot = await takeSlot(folder);
    const knownSpoolFilePaths = new Set(sealedFiles.map(({ path }) => path));
    const newlyFoundSpoolFiles = (await listSpoolFiles(slot)).filter(({ path }) => !knownSpoolFilePaths.has(path));
    sealedFiles.push(...newlyFoundSpoolFiles);
    bytes += sumFileFigure(newlyFoundSpoolFiles, 'size');
    fileNumber = Math.max(fileNumber, ...newlyFoundSpoolFiles.map(({ path }) => Number.parseInt(basename(path), 10)));
    return slot;
  }

  async function chooseNextFilePath(): Promise<string> {
    // If the lock file was deleted, another process could adopt the file that this process is writing.
    if (!(await ownSlot.isLockFilePresent())) {
      ownSlot.release();
      ownSlot = await takeOwnSlot();
    }
    return join(ownSlot.folder, `${String((fileNumber += 1)).padStart(12, '0')}${FILE_SUFFIX}`);
  }

  const collectSpoolFiles = (): SpoolFile[] => [...adoptedFiles.values(), sealedFiles].flat();
  const listDrainableFiles = (): SpoolFile[] => collectSpoolFiles().filter((file) => !postponedFiles.has(file));

  function forgetSpoolFile(file: SpoolFile): void {
    for (const list of [...adoptedFiles.values(), sealedFiles])
      if (list.includes(file)) list.splice(list.indexOf(file), 1);
    bytes -= file.size;
    releaseEmptiedSlots();
  }

  function releaseEmptiedSlots(): void {
    for (const [slot, { length }] of adoptedFiles) {
      if (length > 0) continue;
      adoptedFiles.delete(slot);
      slot.release();
    }
  }

  const spool = {
    async append(line: string): Promise<void> {
      const lineBytes = Buffer.byteLength(line);
      if (bytes + lineBytes > maxBytes) throw new Error(`${folder} holds ${maxBytes} bytes of refusals already`);
      bytes += lineBytes;
      unsealedLineCount += 1;
      await appender.append(line).catch((error: unknown) => {
        bytes -= lineBytes;
        throw error;
      });
    },
    async oldest() {
      if (listDrainableFiles().length === 0) {
        unsealedLineCount = 0;
        const lastSealedFile = await appender.seal();
        if (lastSealedFile !== undefined) sealedFiles.push(lastSealedFile);
      }
      const [file] = listDrainableFiles();
      if (file === undefined) return undefined;
      return {
        /** Returns undefined for a deleted spool file. `torn` is an incomplete last line, which a crash cut off. */
        async read() {
          try {
            const lines = (await readFile(file.path, 'utf8')).split('\n');
            return { lines, torn: lines.pop() ?? '' };
          } catch (error) {
            if (readSystemErrorCode(error) !== 'ENOENT') throw error;
            forgetSpoolFile(file);
            return undefined;
          }
        },
        async remove(): Promise<void> {
          await rm(file.path, { force: true });
          forgetSpoolFile(file);
        },
        postpone(): void {
          postponedFiles.add(file);
        },
      };
    },
    async setAside(lines: readonly string[]): Promise<void> {
      const rejectedLinesText = lines.map((line) => `${line}\n`).join('');
      await appendFile(rejectedLinesFilePath, rejectedLinesText, { mode: 0o600, flush: true });
      await syncFolder(folder);
      setAsideBytes += Buffer.byteLength(rejectedLinesText);
      bytes += Buffer.byteLength(rejectedLinesText);
    },
    get isEmpty(): boolean {
      return unsealedLineCount === 0 && listDrainableFiles().length === 0;
    },
    async adopt(): Promise<void> {
      postponedFiles.clear();
      for (const slot of await takeAbandonedSlots(folder)) {
        const slotFiles = await listSpoolFiles(slot);
        adoptedFiles.set(slot, slotFiles);
        bytes += sumFileFigure(slotFiles, 'size');
      }
      releaseEmptiedSlots();
    },
    /** Counts the refusals in all spool files, even postponed files; `bytes` includes lines that Postgres rejected. */
    figures() {
      const all = [...collectSpoolFiles(), ...(appender.current ? [appender.current] : [])];
      const records = sumFileFigure(all, 'records');
      const oldestRefusalMs = Math.min(...all.map((file) => file.sinceMs));
      const oldestMs = records === 0 ? undefined : Math.max(Date.now() - oldestRefusalMs, 0);
      return Promise.resolve({ records, oldestMs, bytes, setAsideBytes });
    },
    async close(): Promise<void> {
      await withTimeout(SPOOL_CLOSE_TIMEOUT_MS, appender.seal(), () => new Error('the disk does not answer')).catch(
        () => undefined,
      );
      for (const slot of [...adoptedFiles.keys(), ownSlot]) slot.release();
    },
  };
  await spool.adopt();
  return spool;
}

async function assertWritable(folder: string): Promise<void> {
  const probePath = join(folder, 'probe');
  await writeFile(probePath, '', { mode: 0o600, flush: true });
  await rm(probePath);
}

async function listSpoolFiles({ folder }: SpoolSlot): Promise<SpoolFile[]> {
  const spoolFileNames = (await readdir(folder)).filter((name) => name.endsWith(FILE_SUFFIX)).sort();
  const spoolFiles: SpoolFile[] = [];
  for (const name of spoolFileNames) {
    const path = join(folder, name);
    const fileStats = await lstat(path);
    if (!fileStats.isFile()) continue;
    // A spool file that cannot be read counts as empty for now; the spool reads it again later.
    const fileLines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    const sinceMs = parseSpoolLine(fileLines[0] ?? '')?.machineMs ?? Date.now();
    spoolFiles.push({ path, size: fileStats.size, records: fileLines.length - 1, sinceMs });
  }
  return spoolFiles;
}

function sumFileFigure(files: readonly SpoolFile[], figure: 'size' | 'records'): number {
  return files.reduce((sum, file) => sum + file[figure], 0);
}

/** A folder that one process has locked; the kernel releases the lock when the process ends. */
interface SpoolSlot {
  readonly folder: string;
  /** False if somebody has deleted the lock file; another process could then lock a new file with the same name. */
  isLockFilePresent(): Promise<boolean>;
  release(): void;
}

async function takeSlot(folder: string): Promise<SpoolSlot> {
  for (let number = 0; number < MAX_SPOOL_PROCESSES; number += 1) {
    const slotFolder = join(folder, String(number));
    await makeFolder(slotFolder, 0o700);
    const slot = await tryToLock(slotFolder);
    if (slot !== undefined) return slot;
  }
  throw new Error(`${folder} is in use by ${MAX_SPOOL_PROCESSES} processes`);
}

async function takeAbandonedSlots(folder: string): Promise<readonly SpoolSlot[]> {
  const folderEntries = await readdir(folder, { withFileTypes: true });
  const slotFolderPaths = folderEntries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const slots = await Promise.all(slotFolderPaths.map(tryToLock));
  return slots.filter((slot) => slot !== undefined);
}

async function tryToLock(folder: string): Promise<SpoolSlot | undefined> {
  const lockPath = join(folder, 'lock');
  // Does not open an existing lock file, because closing it would release this process's own lock.
  await writeFile(lockPath, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (readSystemErrorCode(error) !== 'EEXIST') throw error;
  });
  const slotLock = lockFile(lockPath);
  if (slotLock === undefined) return undefined;
  // While this process holds the lock file open, no other file can get the lock file's inode number.
  const { ino } = await stat(lockPath);
  const isLockFilePresent = () =>
    stat(lockPath).then(
      (found) => found.ino === ino,
      () => false,
    );
  return { folder, isLockFilePresent, release: slotLock.release };
}
