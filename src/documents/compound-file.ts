import { open, type FileHandle } from 'node:fs/promises';
import { MAX_DIRECTORY_SECTORS } from '../limits.ts';

/* Reads the directory of .doc and .xls files, which are compound files ([MS-CFB], sections 2.2 to 2.6). */

interface Entry {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly child: number;
}

const HEADER_SIZE = 512;
const ENTRY_SIZE = 128;
/** How many allocation table sectors a file's header lists; they cover the first 7 MB, where the directory is. */
const SECTORS_IN_HEADER = 109;

export async function rootEntryNames(file: string): Promise<ReadonlySet<string>> {
  const handle = await open(file);
  try {
    return namesBelowRoot(await readDirectory(handle));
  } finally {
    await handle.close();
  }
}

async function readDirectory(file: FileHandle): Promise<readonly Entry[]> {
  const header = await readBytes(file, 0, HEADER_SIZE);
  const sectorSize = header.readUInt16LE(30) === 12 ? 4096 : 512;
  const tableEntriesPerSector = sectorSize / 4;
  const entries: Entry[] = [];
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < MAX_DIRECTORY_SECTORS; count += 1) {
    const bytes = await readBytes(file, (sector + 1) * sectorSize, sectorSize);
    for (let offset = 0; offset < sectorSize; offset += ENTRY_SIZE) entries.push(entryAt(bytes, offset));
    const tableIndex = Math.floor(sector / tableEntriesPerSector);
    if (tableIndex >= SECTORS_IN_HEADER) break;
    const tableSector = header.readUInt32LE(76 + 4 * tableIndex);
    const nextSectorBytes = await readBytes(
      file,
      (tableSector + 1) * sectorSize + 4 * (sector % tableEntriesPerSector),
      4,
    );
    sector = nextSectorBytes.readUInt32LE(0);
  }
  return entries;
}

function entryAt(bytes: Buffer, offset: number): Entry {
  const length = Math.min(Math.max(bytes.readUInt16LE(offset + 64) - 2, 0), 62);
  return {
    name: bytes.toString('utf16le', offset, offset + length),
    left: bytes.readUInt32LE(offset + 68),
    right: bytes.readUInt32LE(offset + 72),
    child: bytes.readUInt32LE(offset + 76),
  };
}

/**
 * Returns the names in the root folder, which is a binary tree below the first entry. Omits the entries of subfolders,
 * because they belong to embedded objects.
 */
function namesBelowRoot(entries: readonly Entry[]): ReadonlySet<string> {
  const names = new Set<string>();
  const unvisitedIndexes = [entries[0]?.child];
  const visitedIndexes = new Set<number>();
  for (let index = unvisitedIndexes.pop(); index !== undefined; index = unvisitedIndexes.pop()) {
    const entry = entries[index];
    if (entry === undefined || visitedIndexes.has(index)) continue;
    visitedIndexes.add(index);
    names.add(entry.name);
    unvisitedIndexes.push(entry.left, entry.right);
  }
  return names;
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}
