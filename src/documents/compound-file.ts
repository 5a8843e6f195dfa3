import { open, type FileHandle } from 'node:fs/promises';
import { MAX_COMPOUND_FILE_SECTORS } from '../limits.ts';

/* Reads the directory of .doc and .xls files, which are compound files ([MS-CFB], sections 2.2 to 2.6). */

interface DirectoryEntry {
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

async function readDirectory(file: FileHandle): Promise<readonly DirectoryEntry[]> {
  const header = await readBytes(file, 0, HEADER_SIZE);
  const sectorSize = header.readUInt16LE(30) === 12 ? 4096 : 512;
  const perSector = sectorSize / 4;
  const entries: DirectoryEntry[] = [];
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < MAX_COMPOUND_FILE_SECTORS; count += 1) {
    const bytes = await readBytes(file, (sector + 1) * sectorSize, sectorSize);
    for (let offset = 0; offset < sectorSize; offset += ENTRY_SIZE) entries.push(parseDirectoryEntry(bytes, offset));
    const index = Math.floor(sector / perSector);
    if (index >= SECTORS_IN_HEADER) break;
    const table = header.readUInt32LE(76 + 4 * index);
    const next = await readBytes(file, (table + 1) * sectorSize + 4 * (sector % perSector), 4);
    sector = next.readUInt32LE(0);
  }
  return entries;
}

function parseDirectoryEntry(bytes: Buffer, offset: number): DirectoryEntry {
  const length = Math.min(Math.max(bytes.readUInt16LE(offset + 64) - 2, 0), 62);
  return {
    name: bytes.toString('utf16le', offset, offset + length),
    left: bytes.readUInt32LE(offset + 68),
    right: bytes.readUInt32LE(offset + 72),
    child: bytes.readUInt32LE(offset + 76),
  };
}

/**
 * Returns the names in the root folder. The folder's entries form a binary tree, whose top is the `child` of the first
 * entry. Omits the entries of subfolders, because they belong to embedded objects.
 */
function namesBelowRoot(entries: readonly DirectoryEntry[]): ReadonlySet<string> {
  const names = new Set<string>();
  const unvisited = [entries[0]?.child];
  const visited = new Set<number>();
  for (let index = unvisited.pop(); index !== undefined; index = unvisited.pop()) {
    const entry = entries[index];
    if (entry === undefined || visited.has(index)) continue;
    visited.add(index);
    names.add(entry.name);
    unvisited.push(entry.left, entry.right);
  }
  return names;
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, position);
  return bytes;
}
