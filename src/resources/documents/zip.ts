import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { ZIP_BLOCK_BYTES } from '../../limits.ts';

/*
 * Writes a ZIP archive of known length that programs can also read as a stream (APPNOTE.TXT 6.3.10). Each file is a
 * DEFLATE stream of uncompressed blocks (RFC 1951, 3.2.4), which says where it ends, so that its CRC-32 may follow it.
 */

interface ZipFile {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly size: number;
  readonly open: () => Promise<Readable>;
}

type ZipRecord = ReturnType<typeof createRecord>;

const BLOCK_HEADER_LENGTH = 5;
const DESCRIPTOR_LENGTH = 16;
const LARGEST_UINT32 = 0xffff_ffff;
const DEFLATE_VERSION = 20;
const ZIP64_VERSION = 45;
/** The CRC-32 and the sizes follow the content, and the name is in UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const MADE_BY_UNIX = 0x0300;
const FILE_MODE = 0o100644;

/** The stream fails if a file cannot be opened or has another size. */
export function createZip(files: readonly ZipFile[]): { readonly body: Readable; readonly size: number } {
  const records = files.map(createRecord);
  let [bytes, directoryBytes] = [0, 0];
  for (const record of records) {
    directoryBytes += buildDirectoryEntry(record, bytes, 0).length;
    bytes += countBytes(record);
  }
  const end = buildEnd(files.length, bytes, directoryBytes);

  async function* generateChunks(): AsyncGenerator<Buffer> {
    const directory: Buffer[] = [];
    let offset = 0;
    for (const record of records) {
      let checksum = 0;
      const blocks = createBlocks(record.size);
      // The header goes out with the first piece of the content: until the content is read, nobody would close it.
      const waiting = [buildLocalHeader(record)];
      for await (const chunk of (await record.open()) as AsyncIterable<Buffer>) {
        checksum = crc32(chunk, checksum);
        yield Buffer.concat([...waiting.splice(0), ...blocks.wrap(chunk)]);
      }
      yield Buffer.concat([...waiting, ...blocks.end(), buildDescriptor(record, checksum)]);
      directory.push(buildDirectoryEntry(record, offset, checksum));
      offset += countBytes(record);
    }
    yield Buffer.concat([...directory, end]);
  }
  return {
    body: Readable.from(generateChunks(), { objectMode: false }),
    size: bytes + directoryBytes + end.length,
  };
}

/** Puts the header of a block before each `ZIP_BLOCK_BYTES` of a content of known size. */
function createBlocks(size: number) {
  let remaining = size;
  let inBlock = 0;
  const startBlock = (): Buffer => {
    inBlock = Math.min(remaining, ZIP_BLOCK_BYTES);
    const header = Buffer.alloc(BLOCK_HEADER_LENGTH);
    header.writeUInt8(inBlock === remaining ? 1 : 0, 0);
    header.writeUInt16LE(inBlock, 1);
    header.writeUInt16LE(~inBlock & 0xffff, 3);
    return header;
  };
  return {
    wrap(chunk: Buffer): readonly Buffer[] {
      if (chunk.length > remaining) throw new Error(`a content is longer than its ${size} bytes`);
      const pieces: Buffer[] = [];
      for (let at = 0; at < chunk.length; ) {
        if (inBlock === 0) pieces.push(startBlock());
        const piece = chunk.subarray(at, at + inBlock);
        pieces.push(piece);
        at += piece.length;
        inBlock -= piece.length;
        remaining -= piece.length;
      }
      return pieces;
    },
    end(): readonly Buffer[] {
      if (remaining > 0) throw new Error(`a content is shorter than its ${size} bytes`);
      return size === 0 ? [startBlock()] : [];
    },
  };
}

function createRecord({ name, modifiedAt, size, open }: ZipFile) {
  const blocks = Math.max(Math.ceil(size / ZIP_BLOCK_BYTES), 1);
  const [hours, minutes, seconds] = [modifiedAt.getHours(), modifiedAt.getMinutes(), modifiedAt.getSeconds()];
  const years = Math.max(modifiedAt.getFullYear() - 1980, 0);
  const times = Buffer.alloc(9);
  times.write('UT', 'latin1');
  times.writeUInt16LE(5, 2);
  times.writeUInt8(1, 4);
  times.writeUInt32LE(Math.floor(modifiedAt.getTime() / 1000), 5);
  return {
    name: Buffer.from(name),
    dosTime: (hours << 11) | (minutes << 5) | (seconds >> 1),
    dosDate: (years << 9) | ((modifiedAt.getMonth() + 1) << 5) | modifiedAt.getDate(),
    times,
    ...{ size, open },
    deflatedSize: size + blocks * BLOCK_HEADER_LENGTH,
  };
}

function countBytes(record: ZipRecord): number {
  return buildLocalHeader(record).length + record.deflatedSize + DESCRIPTOR_LENGTH;
}

function buildLocalHeader({ name, dosTime, dosDate, times }: ZipRecord): Buffer {
  const header = Buffer.alloc(30);
  header.write('PK\x03\x04', 'latin1');
  header.writeUInt16LE(DEFLATE_VERSION, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(DEFLATED, 8);
  header.writeUInt16LE(dosTime, 10);
  header.writeUInt16LE(dosDate, 12);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(times.length, 28);
  return Buffer.concat([header, name, times]);
}

function buildDescriptor({ size, deflatedSize }: ZipRecord, checksum: number): Buffer {
  const descriptor = Buffer.alloc(DESCRIPTOR_LENGTH);
  descriptor.write('PK\x07\x08', 'latin1');
  descriptor.writeUInt32LE(checksum, 4);
  descriptor.writeUInt32LE(deflatedSize, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

function buildDirectoryEntry(record: ZipRecord, offset: number, checksum: number): Buffer {
  const { name, dosTime, dosDate, times, size, deflatedSize } = record;
  const isFar = offset >= LARGEST_UINT32;
  const extra = isFar ? Buffer.concat([times, buildFarOffset(offset)]) : times;
  const entry = Buffer.alloc(46);
  entry.write('PK\x01\x02', 'latin1');
  entry.writeUInt16LE(MADE_BY_UNIX | ZIP64_VERSION, 4);
  entry.writeUInt16LE(isFar ? ZIP64_VERSION : DEFLATE_VERSION, 6);
  entry.writeUInt16LE(FLAGS, 8);
  entry.writeUInt16LE(DEFLATED, 10);
  entry.writeUInt16LE(dosTime, 12);
  entry.writeUInt16LE(dosDate, 14);
  entry.writeUInt32LE(checksum, 16);
  entry.writeUInt32LE(deflatedSize, 20);
  entry.writeUInt32LE(size, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(FILE_MODE * 0x1_0000, 38);
  entry.writeUInt32LE(Math.min(offset, LARGEST_UINT32), 42);
  return Buffer.concat([entry, name, extra]);
}

function buildFarOffset(offset: number): Buffer {
  const field = Buffer.alloc(12);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8, 2);
  field.writeBigUInt64LE(BigInt(offset), 4);
  return field;
}

/** Builds the end of the archive, behind `bytes` bytes of files and the directory. */
function buildEnd(count: number, bytes: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(Math.min(bytes, LARGEST_UINT32), 16);
  if (bytes < LARGEST_UINT32) return end;
  const zip64 = Buffer.alloc(76);
  zip64.write('PK\x06\x06', 'latin1');
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(MADE_BY_UNIX | ZIP64_VERSION, 12);
  zip64.writeUInt16LE(ZIP64_VERSION, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(directoryBytes), 40);
  zip64.writeBigUInt64LE(BigInt(bytes), 48);
  zip64.write('PK\x06\x07', 56, 'latin1');
  zip64.writeBigUInt64LE(BigInt(bytes + directoryBytes), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
}
