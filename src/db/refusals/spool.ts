import { appendFile, lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createAppender } from './appender.ts';
import type { SealedFile } from './appender.ts';
import { makeFolder, syncFolder } from '../../make-folder.ts';
import { codeOf } from '../../system-error.ts';
import { within } from '../../within.ts';
import { SPOOL_BYTES, SPOOL_CLOSE_MS } from '../../limits.ts';
import { createCounter } from './spool-figures.ts';
import type { SpoolFigures } from './spool-figures.ts';
import { takeAbandonedSlots, takeSlot } from './slots.ts';
import type { Slot } from './slots.ts';

/**
 * Where refusals wait on disk for the database: files of lines, for the owner alone, removed as soon as the database
 * has what they hold. Each process writes in a folder of its own; those of processes that have ended are taken over.
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
  const own = await takeSlot(folder);
  const aside = join(folder, 'set-aside');
  const sealed: SealedFile[] = await filesOf(own);
  const adopted = new Map<Slot, SealedFile[]>();
  const postponed: { readonly file: SealedFile; readonly files: SealedFile[] }[] = [];
  let number = Math.max(0, ...sealed.map(({ path }) => Number.parseInt(basename(path), 10)));
  const nextPath = (): string => join(own.folder, `${String((number += 1)).padStart(12, '0')}${SUFFIX}`);
  const appender = createAppender({
    nextPath,
    onSealed: (file) => {
      sealed.push(file);
    },
  });
  let setAsideBytes = (await stat(aside).catch(() => ({ size: 0 }))).size;
  let bytes = sizeOf(sealed) + setAsideBytes;
  const count = createCounter();
  /** Lines that are in no sealed file yet. */
  let unsealed = 0;
  await provesWritable(own.folder);

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
    /** The oldest file, to which nothing is added any more; undefined where nothing waits. */
    async oldest() {
      const files = [...adopted.values(), sealed].find(({ length }) => length > 0) ?? sealed;
      if (files.length === 0) {
        unsealed = 0;
        const file = await appender.seal();
        if (file !== undefined) sealed.push(file);
      }
      const [file] = files;
      if (file === undefined) return undefined;
      const forget = (): void => {
        files.splice(files.indexOf(file), 1);
        bytes -= file.size;
        releaseEmptied();
      };
      return {
        /** Undefined where somebody has removed it. What a crash has cut off is `torn`: its request was never answered. */
        async read() {
          const text = await readFile(file.path, 'utf8').catch((error: unknown) => {
            if (codeOf(error) !== 'ENOENT') throw error;
          });
          if (text === undefined) {
            forget();
            return undefined;
          }
          const lines = text.split('\n');
          return { lines, torn: lines.pop() ?? '' };
        },
        async remove(): Promise<void> {
          await rm(file.path, { force: true });
          forget();
        },
        /** Lets others go before it, until `adopt` is called the next time. */
        postpone(): void {
          files.splice(files.indexOf(file), 1);
          postponed.push({ file, files });
        },
      };
    },
    /** Keeps lines for somebody to look at, which the database will never take. */
    async setAside(lines: readonly string[]): Promise<void> {
      const text = lines.map((line) => `${line}\n`).join('');
      await appendFile(aside, text, { mode: 0o600, flush: true });
      await syncFolder(folder);
      setAsideBytes += Buffer.byteLength(text);
      bytes += Buffer.byteLength(text);
    },
    /** Whether nothing waits but what was postponed. */
    get isEmpty(): boolean {
      return unsealed === 0 && [sealed, ...adopted.values()].every(({ length }) => length === 0);
    },
    /** Takes over what ended processes have left, and what was postponed. */
    async adopt(): Promise<void> {
      for (const { file, files } of postponed.splice(0)) files.push(file);
      for (const slot of await takeAbandonedSlots(folder)) {
        const files = await filesOf(slot);
        adopted.set(slot, files);
        bytes += sizeOf(files);
      }
      releaseEmptied();
    },
    /** What waits, with what was postponed. Resolves when the disk has answered. */
    async figures(): Promise<SpoolFigures> {
      const files = [...sealed, ...[...adopted.values()].flat(), ...postponed.map(({ file }) => file)];
      return { ...(await count(files, appender.path)), bytes, setAsideBytes };
    },
    async close(): Promise<void> {
      await within(SPOOL_CLOSE_MS, appender.seal(), () => new Error('the disk does not answer')).catch(
        () => undefined,
      );
      for (const slot of [...adopted.keys(), own]) slot.release();
    },
  };

  function releaseEmptied(): void {
    for (const [slot, files] of adopted) {
      if (files.length > 0 || postponed.some((other) => other.files === files)) continue;
      adopted.delete(slot);
      slot.release();
    }
  }

  await spool.adopt();
  return spool;
}

/** A folder that is there already may still take no files. */
async function provesWritable(folder: string): Promise<void> {
  const path = join(folder, 'probe');
  await writeFile(path, '', { mode: 0o600, flush: true });
  await rm(path);
}

/** Only files: what else bears such a name is none of ours. */
async function filesOf({ folder }: Slot): Promise<SealedFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX)).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const entry = await lstat(path);
      return entry.isFile() ? [{ path, size: entry.size }] : [];
    }),
  );
  return found.flat();
}

function sizeOf(files: readonly SealedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
