import { open, type FileHandle } from 'node:fs/promises';
import { COMPOUND_SECTORS } from '../limits.ts';

/* .doc and .xls are compound files; their directory: [MS-CFB], sections 2.2 to 2.6. */

interface Entry {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly child: number;
}

const HEADER_SIZE = 512;
const ENTRY_SIZE = 128;
/** Sectors of the file allocation table that the header names: enough for 7 MB, and the directory comes early in a file. */
const NAMED_IN_HEADER = 109;

export async function namesAtRoot(file: string): Promise<ReadonlySet<string>> {
  const handle = await open(file);
  try {
    return atRoot(await readDirectory(handle));
  } finally {
    await handle.close();
  }
}

async function readDirectory(file: FileHandle): Promise<readonly Entry[]> {
  const header = await read(file, 0, HEADER_SIZE);
  const sectorSize = header.readUInt16LE(30) === 12 ? 4096 : 512;
  const perSector = sectorSize / 4;
  const entries: Entry[] = [];
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < COMPOUND_SECTORS; count += 1) {
    const bytes = await read(file, (sector + 1) * sectorSize, sectorSize);
    for (let at = 0; at < sectorSize; at += ENTRY_SIZE) entries.push(entryAt(bytes, at));
    const table = Math.floor(sector / perSector);
    if (table >= NAMED_IN_HEADER) break;
    const tableSector = header.readUInt32LE(76 + 4 * table);
    const next = await read(file, (tableSector + 1) * sectorSize + 4 * (sector % perSector), 4);
    sector = next.readUInt32LE(0);
  }
  return entries;
}

function entryAt(bytes: Buffer, at: number): Entry {
  const length = Math.min(Math.max(bytes.readUInt16LE(at + 64) - 2, 0), 62);
  return {
    name: bytes.toString('utf16le', at, at + length),
    left: bytes.readUInt32LE(at + 68),
    right: bytes.readUInt32LE(at + 72),
    child: bytes.readUInt32LE(at + 76),
  };
}

/** The names beside each other in the top folder, a tree below the first entry; deeper entries are embedded objects. */
function atRoot(entries: readonly Entry[]): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [entries[0]?.child];
  const visited = new Set<number>();
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = entries[index];
    if (entry === undefined || visited.has(index)) continue;
    visited.add(index);
    names.add(entry.name);
    open.push(entry.left, entry.right);
  }
  return names;
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}
