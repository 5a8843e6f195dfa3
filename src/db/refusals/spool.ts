import { appendFile, lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SPOOL_BYTES, SPOOL_CLOSE_MS } from '../../limits.ts';
import { makeFolder, syncFolder } from '../../make-folder.ts';
import { codeOf } from '../../system-error.ts';
import { within } from '../../within.ts';
import { createAppender, type SpoolFile } from './appender.ts';
import { fromLine } from './refusal.ts';
import { type Slot, takeAbandonedSlots, takeSlot } from './slots.ts';

/**
 * Refusals that wait on disk for the database, in files of lines for the owner alone. Each process writes in a folder of
 * its own; the files of ended processes are taken over.
 */
export type Spool = Awaited<ReturnType<typeof openSpool>>;

const SUFFIX = '.refusals';

/** @throws Error in one line that names DATA_DIR, where it cannot be written to */
export async function openSpool(dataDir: string, maxBytes = SPOOL_BYTES) {
  try {
    return await openIn(join(dataDir, 'refusals'), maxBytes);
  } catch (error) {
    throw new Error(`DATA_DIR cannot be written to: ${String(error)}`, { cause: error });
  }
}

async function openIn(folder: string, maxBytes: number) {
  await makeFolder(dirname(folder));
  await makeFolder(folder, 0o700);
  const aside = join(folder, 'set-aside');
  let setAsideBytes = (await stat(aside).catch(() => ({ size: 0 }))).size;
  let bytes = setAsideBytes;
  const sealed: SpoolFile[] = [];
  const adopted = new Map<Slot, SpoolFile[]>();
  const postponed = new Set<SpoolFile>();
  let number = 0;
  let own = await take();
  await assertWritable(own.folder);
  const appender = createAppender(nextPath, (file) => {
    sealed.push(file);
  });
  let unsealed = 0;

  async function take(): Promise<Slot> {
    const slot = await takeSlot(folder);
    const known = new Set(sealed.map(({ path }) => path));
    const found = (await filesOf(slot)).filter(({ path }) => !known.has(path));
    sealed.push(...found);
    bytes += sumOf(found, 'size');
    number = Math.max(number, ...found.map(({ path }) => Number.parseInt(basename(path), 10)));
    return slot;
  }

  async function nextPath(): Promise<string> {
    // In a folder that lost its lock, others and `adopt` would take what is being written.
    if (!(await own.isThere())) {
      own.release();
      own = await take();
    }
    return join(own.folder, `${String((number += 1)).padStart(12, '0')}${SUFFIX}`);
  }

  const files = (): SpoolFile[] => [...adopted.values(), sealed].flat();
  const ready = (): SpoolFile[] => files().filter((file) => !postponed.has(file));

  function forget(file: SpoolFile): void {
    for (const list of [...adopted.values(), sealed])
      if (list.includes(file)) list.splice(list.indexOf(file), 1);
    bytes -= file.size;
    releaseEmptied();
  }

  function releaseEmptied(): void {
    for (const [slot, { length }] of adopted) {
      if (length > 0) continue;
      adopted.delete(slot);
      slot.release();
    }
  }

  const spool = {
    /** Resolves once the line is on the disk. Rejects where it is not: the disk is full or away, or the spool is full. */
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
    /** The oldest file, sealed; undefined where nothing waits. */
    async oldest() {
      if (ready().length === 0) {
        unsealed = 0;
        const last = await appender.seal();
        if (last !== undefined) sealed.push(last);
      }
      const [file] = ready();
      if (file === undefined) return undefined;
      return {
        /** Undefined where somebody has removed it. A crash has cut off `torn`, whose request was never answered. */
        async read() {
          try {
            const lines = (await readFile(file.path, 'utf8')).split('\n');
            return { lines, torn: lines.pop() ?? '' };
          } catch (error) {
            if (codeOf(error) !== 'ENOENT') throw error;
            forget(file);
            return undefined;
          }
        },
        async remove(): Promise<void> {
          await rm(file.path, { force: true });
          forget(file);
        },
        /** Lets others go before it, until `adopt` is called the next time. */
        postpone(): void {
          postponed.add(file);
        },
      };
    },
    /** Keeps lines that the database will never take. */
    async setAside(lines: readonly string[]): Promise<void> {
      const text = lines.map((line) => `${line}\n`).join('');
      await appendFile(aside, text, { mode: 0o600, flush: true });
      await syncFolder(folder);
      setAsideBytes += Buffer.byteLength(text);
      bytes += Buffer.byteLength(text);
    },
    get isEmpty(): boolean {
      return unsealed === 0 && ready().length === 0;
    },
    /** Takes over the files of ended processes, and postponed ones. */
    async adopt(): Promise<void> {
      postponed.clear();
      for (const slot of await takeAbandonedSlots(folder)) {
        const found = await filesOf(slot);
        adopted.set(slot, found);
        bytes += sumOf(found, 'size');
      }
      releaseEmptied();
    },
    /** All that waits, postponed or not; `bytes` with the lines set aside, which nobody but a person removes. */
    figures() {
      const all = [...files(), ...(appender.present ? [appender.present] : [])];
      const records = sumOf(all, 'records');
      const sinceMs = Math.min(...all.map((file) => file.sinceMs));
      const oldestMs = records === 0 ? undefined : Math.max(Date.now() - sinceMs, 0);
      return Promise.resolve({ records, oldestMs, bytes, setAsideBytes });
    },
    async close(): Promise<void> {
      await within(SPOOL_CLOSE_MS, appender.seal(), () => new Error('the disk does not answer')).catch(
        () => undefined,
      );
      for (const slot of [...adopted.keys(), own]) slot.release();
    },
  };
  await spool.adopt();
  return spool;
}

async function assertWritable(folder: string): Promise<void> {
  const path = join(folder, 'probe');
  await writeFile(path, '', { mode: 0o600, flush: true });
  await rm(path);
}

/** The files of an earlier process; folders and links with such a name are none of ours. */
async function filesOf({ folder }: Slot): Promise<SpoolFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
  const files: SpoolFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const entry = await lstat(path);
    if (!entry.isFile()) continue;
    // An unreadable file counts as nothing, and is read again later.
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    const sinceMs = fromLine(lines[0] ?? '')?.machineMs ?? Date.now();
    files.push({ path, size: entry.size, records: lines.length - 1, sinceMs });
  }
  return files;
}

function sumOf(files: readonly SpoolFile[], figure: 'size' | 'records'): number {
  return files.reduce((sum, file) => sum + file[figure], 0);
}
