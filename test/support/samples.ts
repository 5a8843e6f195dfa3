import { crc32 } from 'node:zlib';

/* This module has a small file of each type that the service accepts as a document. */

export const pdf = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n', 'latin1');
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
export const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex');
export const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
export const webp = Buffer.concat([Buffer.from('RIFF'), Buffer.from([26, 0, 0, 0]), Buffer.from('WEBPVP8L\0\0\0\0')]);
export const tiff = Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(64)]);
/** The first box of a photo of an iPhone, and of one of another program. */
export const heic = Buffer.from('0000001866747970686569630000000068656963' + '6d696631', 'hex');
export const heif = Buffer.from('00000018667479706d69663100000000' + '6d69663168656963', 'hex');

/** Builds a ZIP archive that stores its entries uncompressed. */
export function zip(entries: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [title, data] = [Buffer.from(name), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(title.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, title, data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, place, title]));
    bodies.push(body);
    offset += body.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listing, end]);
}

/** Builds an Office Open XML file, such as a DOCX, whose main part has the given type. */
export function openXml(part: string, type: string): Buffer {
  const override = `<Override PartName="/${part}" ContentType="${type}.main+xml"/>`;
  return zip({ '[Content_Types].xml': `<?xml version="1.0"?><Types>${override}</Types>`, [part]: '<x/>' });
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
export const docx = openXml('word/document.xml', `${OOXML}.wordprocessingml.document`);
export const xlsx = openXml('xl/workbook.xml', `${OOXML}.spreadsheetml.sheet`);
export const pptx = openXml('ppt/presentation.xml', `${OOXML}.presentationml.presentation`);
export const odt = zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>' });
export const ods = zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' });

interface CompoundEntry {
  readonly name: string;
  readonly child?: number;
  readonly right?: number;
}

const NONE = 0xffff_ffff;

/** Builds a compound file, such as .doc and .xls, with the given directory entries, of which the first is the root. */
export function compound(entries: readonly CompoundEntry[], next = 0xffff_fffe): Buffer {
  const header = Buffer.alloc(512);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(1, 48);
  const table = Buffer.alloc(512, 0xff);
  table.writeUInt32LE(0xffff_fffd, 0);
  table.writeUInt32LE(next, 4);
  const directory = Buffer.alloc(512);
  for (const [index, { name, child = NONE, right = NONE }] of entries.entries()) {
    const at = index * 128;
    directory.write(name, at, 'utf16le');
    directory.writeUInt16LE(2 * name.length + 2, at + 64);
    directory.writeUInt32LE(NONE, at + 68);
    directory.writeUInt32LE(right, at + 72);
    directory.writeUInt32LE(child, at + 76);
  }
  return Buffer.concat([header, table, directory]);
}

export const doc = compound([{ name: 'Root Entry', child: 1 }, { name: '1Table', right: 2 }, { name: 'WordDocument' }]);
export const xls = compound([{ name: 'Root Entry', child: 1 }, { name: 'Workbook' }]);
