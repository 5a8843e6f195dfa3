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
  const fileHandle = await open(file);
  try {
    return collectNamesBelowRoot(await readDirectoryEntries(fileHandle));
  } finally {
    await fileHandle.close();
  }
}

async function readDirectoryEntries(file: FileHandle): Promise<readonly DirectoryEntry[]> {
  const headerBytes = await readFileBytes(file, 0, HEADER_SIZE);
  const sectorSize = headerBytes.readUInt16LE(30) === 12 ? 4096 : 512;
  const fatEntriesPerSector = sectorSize / 4;
  const directoryEntries: DirectoryEntry[] = [];
  let sectorNumber = headerBytes.readUInt32LE(48);
  for (let count = 0; count < MAX_COMPOUND_FILE_SECTORS; count += 1) {
    const sectorBytes = await readFileBytes(file, (sectorNumber + 1) * sectorSize, sectorSize);
    for (let offset = 0; offset < sectorSize; offset += ENTRY_SIZE)
      directoryEntries.push(parseDirectoryEntry(sectorBytes, offset));
    const fatSectorIndex = Math.floor(sectorNumber / fatEntriesPerSector);
    if (fatSectorIndex >= SECTORS_IN_HEADER) break;
    const fatSectorNumber = headerBytes.readUInt32LE(76 + 4 * fatSectorIndex);
    const nextSectorBytes = await readFileBytes(
      file,
      (fatSectorNumber + 1) * sectorSize + 4 * (sectorNumber % fatEntriesPerSector),
      4,
    );
    sectorNumber = nextSectorBytes.readUInt32LE(0);
  }
  return directoryEntries;
}

function parseDirectoryEntry(bytes: Buffer, offset: number): DirectoryEntry {
  const nameByteLength = Math.min(Math.max(bytes.readUInt16LE(offset + 64) - 2, 0), 62);
  return {
    name: bytes.toString('utf16le', offset, offset + nameByteLength),
    left: bytes.readUInt32LE(offset + 68),
    right: bytes.readUInt32LE(offset + 72),
    child: bytes.readUInt32LE(offset + 76),
  };
}

/**
 * Returns the names in the root folder. The folder's entries form a binary tree, whose top is the `child` of the first
 * entry. Omits the entries of subfolders, because they belong to embedded objects.
 */
function collectNamesBelowRoot(entries: readonly DirectoryEntry[]): ReadonlySet<string> {
  const childEntryNames = new Set<string>();
  const unvisitedEntryIndexes = [entries[0]?.child];
  const visitedEntryIndexes = new Set<number>();
  for (let index = unvisitedEntryIndexes.pop(); index !== undefined; index = unvisitedEntryIndexes.pop()) {
    const directoryEntry = entries[index];
    if (directoryEntry === undefined || visitedEntryIndexes.has(index)) continue;
    visitedEntryIndexes.add(index);
    childEntryNames.add(directoryEntry.name);
    unvisitedEntryIndexes.push(directoryEntry.left, directoryEntry.right);
  }
  return childEntryNames;
}

async function readFileBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const fileBytesBuffer = Buffer.alloc(length);
  await file.read(fileBytesBuffer, 0, length, position);
  return fileBytesBuffer;
}
