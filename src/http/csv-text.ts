import { isUtf8 } from 'node:buffer';
import { malformed } from './body.ts';
import { Problems } from './problems.ts';

/* From the bytes of a table to its text, without a guess; docs/decisions/imports.md */

const UTF_8 = /^utf-?8$/i;
const WINDOWS = /^windows-1252$/i;

/** Whether a table may come in it. */
export function isCharset(charset: string): boolean {
  return UTF_8.test(charset) || WINDOWS.test(charset);
}

const IN_EXCEL = 'In Excel, save it as "CSV UTF-8 (comma delimited)"';
const NO_UTF_8 = `must be UTF-8, which it is not: it may be Windows-1252. ${IN_EXCEL}, or say so: Content-Type: text/csv; charset=windows-1252`;
const UTF_16 = `must be UTF-8, and is UTF-16. ${IN_EXCEL}`;
const NO_LETTER = 'has a byte that is no letter in Windows-1252';

/**
 * Its text, as the `charset` of its Content-Type says. In another encoding accents would be stored as something else.
 * @throws RequestError ERROR_VALIDATION with the first line that is not in it
 */
export function textOf(bytes: Buffer, charset = 'utf-8'): string {
  if (isWorkbook(bytes)) throw malformed(`is a workbook, and no table. ${IN_EXCEL}`);
  const isWindows = WINDOWS.test(charset);
  if (isWindows) refuseUnless(bytes, hasLettersAlone, NO_LETTER);
  else refuseUnless(bytes, isUtf8, isUtf16(bytes) ? UTF_16 : NO_UTF_8);
  return new TextDecoder(isWindows ? 'windows-1252' : 'utf-8').decode(bytes);
}

const BYTES_WITHOUT_LETTER = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

function hasLettersAlone(bytes: Buffer): boolean {
  return BYTES_WITHOUT_LETTER.every((byte) => !bytes.includes(byte));
}

/** As .xlsx and .ods begin, and .xls. */
function isWorkbook(bytes: Buffer): boolean {
  return ['504b0304', 'd0cf11e0'].includes(bytes.toString('hex', 0, 4));
}

function isUtf16(bytes: Buffer): boolean {
  return ['feff', 'fffe'].includes(bytes.toString('hex', 0, 2));
}

function refuseUnless(bytes: Buffer, isRight: (bytes: Buffer) => boolean, rule: string): void {
  if (isRight(bytes)) return;
  let line = 1;
  let from = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', from)) {
    if (!isRight(bytes.subarray(from, end))) break;
    from = end + 1;
    line += 1;
  }
  const problems = new Problems();
  problems.add(`line ${line}`, rule);
  problems.refuse();
}
