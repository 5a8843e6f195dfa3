import { isUtf8 } from 'node:buffer';
import { malformed } from '../../http/body.ts';
import { Problems } from './given.ts';
import type { NextTurn } from './turns.ts';
import { TEXT_PIECE_BYTES } from '../../limits.ts';

const UTF_8 = /^utf-?8$/i;
const WINDOWS = /^windows-1252$/i;

export function isCharset(charset: string): boolean {
  return UTF_8.test(charset) || WINDOWS.test(charset);
}

const IN_EXCEL = 'In Excel, save it as "CSV UTF-8 (comma delimited)"';
const NO_UTF_8 = `must be UTF-8, which it is not: it may be Windows-1252. ${IN_EXCEL}, or say so: Content-Type: text/csv; charset=windows-1252`;
const UTF_16 = `must be UTF-8, and is UTF-16. ${IN_EXCEL}`;
const NO_LETTER = 'has a byte that is no letter in Windows-1252';

/** Removes the byte order mark. @throws RequestError ERROR_VALIDATION with the first wrong line */
export async function utf8Of(bytes: Buffer, charset = 'utf-8', nextTurn: NextTurn): Promise<Buffer> {
  const isWorkbook = ['504b0304', 'd0cf11e0'].includes(bytes.toString('hex', 0, 4));
  if (isWorkbook) throw malformed(`is a workbook, and no table. ${IN_EXCEL}`);
  if (!WINDOWS.test(charset)) {
    const isUtf16 = ['feff', 'fffe'].includes(bytes.toString('hex', 0, 2));
    await refuseUnless(bytes, isUtf8, isUtf16 ? UTF_16 : NO_UTF_8, nextTurn);
    return bytes.subarray(bytes.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0);
  }
  await refuseUnless(bytes, hasLettersAlone, NO_LETTER, nextTurn);
  const decoder = new TextDecoder('windows-1252');
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += TEXT_PIECE_BYTES) {
    await nextTurn();
    pieces.push(Buffer.from(decoder.decode(bytes.subarray(from, from + TEXT_PIECE_BYTES))));
  }
  return Buffer.concat(pieces);
}

const BYTES_WITHOUT_LETTER = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

function hasLettersAlone(bytes: Buffer): boolean {
  return BYTES_WITHOUT_LETTER.every((byte) => !bytes.includes(byte));
}

async function refuseUnless(
  bytes: Buffer,
  isRight: (bytes: Buffer) => boolean,
  rule: string,
  nextTurn: NextTurn,
): Promise<void> {
  if (isRight(bytes)) return;
  let [from, line] = [0, 1];
  for (const atOnce of [TEXT_PIECE_BYTES, 1])
    for (;;) {
      await nextTurn();
      const end = bytes.indexOf(LINE_FEED, from + atOnce - 1) + 1 || bytes.length;
      const lines = bytes.subarray(from, end);
      if (!isRight(lines) || end === bytes.length) break;
      for (const byte of lines) if (byte === LINE_FEED) line += 1;
      from = end;
    }
  const problems = new Problems();
  problems.add(`line ${line}`, rule);
  problems.refuse();
}

const LINE_FEED = 0x0a;
