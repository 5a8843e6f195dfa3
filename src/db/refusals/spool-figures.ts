import { readFile } from 'node:fs/promises';
import type { SealedFile } from './appender.ts';
import { fromLine } from './refusal.ts';

export interface SpoolFigures {
  readonly records: number;
  /** With what was set aside, which nobody but a person removes. */
  readonly bytes: number;
  readonly setAsideBytes: number;
  /** Since the oldest of them was refused; undefined where none waits. */
  readonly oldestMs: number | undefined;
}

interface Counted {
  readonly records: number;
  readonly sinceMs: number;
}

const NOTHING: Counted = { records: 0, sinceMs: Infinity };
const LINE_END = 0x0a;

/** Counts what files hold; each that nothing is added to any more once. */
export function createCounter(): (
  files: readonly SealedFile[],
  growing: string | undefined,
) => Promise<Pick<SpoolFigures, 'records' | 'oldestMs'>> {
  const counted = new WeakMap<SealedFile, Counted>();
  return async (files, growing) => {
    let { records, sinceMs } = growing === undefined ? NOTHING : await count(growing);
    for (const file of files) {
      const known = counted.get(file) ?? (await count(file.path));
      counted.set(file, known);
      records += known.records;
      sinceMs = Math.min(sinceMs, known.sinceMs);
    }
    return { records, oldestMs: records === 0 ? undefined : Math.max(Date.now() - sinceMs, 0) };
  };
}

/** A file that is gone holds nothing any more. */
async function count(path: string): Promise<Counted> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const records = bytes.reduce((sum, byte) => (byte === LINE_END ? sum + 1 : sum), 0);
  if (records === 0) return NOTHING;
  const first = fromLine(bytes.subarray(0, bytes.indexOf(LINE_END)).toString());
  return { records, sinceMs: first?.machineMs ?? Date.now() };
}
