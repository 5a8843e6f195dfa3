import { isAscii, isUtf8 } from 'node:buffer';
import { invalidBodyError } from '../../http/body.ts';
import { ProblemList } from './given.ts';
import type { TurnAwaiter } from './turns.ts';
import { TEXT_BYTES_BEFORE_YIELD } from '../../limits.ts';
import { rule, type ProblemRule } from '../../problems.ts';

/** The names of an encoding follow the WHATWG Encoding Standard, for which iso-8859-1 is a name of Windows-1252. */
function findEncoding(charset: string): string | undefined {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

export function isCharset(charset: string): boolean {
  return ['utf-8', 'windows-1252'].includes(findEncoding(charset) ?? '');
}

/** Removes a byte order mark and an end mark too. @throws RequestError ERROR_VALIDATION with the first wrong line */
export async function convertToUtf8(sent: Buffer, charset = 'utf-8', nextTurn: TurnAwaiter): Promise<Buffer> {
  const bytes = sent.subarray(0, findEnd(sent));
  if (['504b0304', 'd0cf11e0'].includes(bytes.toString('hex', 0, 4)))
    throw invalidBodyError(rule('not_a_csv.workbook'));
  if (findEncoding(charset) !== 'windows-1252') {
    const isUtf16 = ['feff', 'fffe'].includes(bytes.toString('hex', 0, 2));
    await refuseInvalidLine(bytes, isUtf8, rule(isUtf16 ? 'not_utf_8.utf_16' : 'not_utf_8'), nextTurn);
    return bytes.subarray(bytes.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0);
  }
  // Text in Windows-1252 with letters beyond ASCII is practically never valid UTF-8.
  if (isUtf8(bytes)) await refuseInvalidLine(bytes, isAscii, rule('not_windows_1252'), nextTurn);
  await refuseInvalidLine(bytes, isWindows1252, rule('not_utf_8.windows'), nextTurn);
  const decoder = new TextDecoder('windows-1252');
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += TEXT_BYTES_BEFORE_YIELD) {
    await nextTurn();
    pieces.push(Buffer.from(decoder.decode(bytes.subarray(from, from + TEXT_BYTES_BEFORE_YIELD))));
  }
  return Buffer.concat(pieces);
}

const END_MARK = 0x1a;
const CARRIAGE_RETURN = 0x0d;
const MAX_ENDING = 1000;

/** Returns where the table ends: some programs write 0x1A, the end mark of DOS, behind the last line. */
function findEnd(bytes: Buffer): number {
  const ending = bytes.subarray(-MAX_ENDING);
  const after = ending.findLastIndex((byte) => ![END_MARK, LINE_FEED, CARRIAGE_RETURN].includes(byte)) + 1;
  const mark = ending.indexOf(END_MARK, after);
  return mark === -1 ? bytes.length : bytes.length - ending.length + mark;
}

const UNDEFINED_BYTES = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

function isWindows1252(bytes: Buffer): boolean {
  return UNDEFINED_BYTES.every((byte) => !bytes.includes(byte));
}

async function refuseInvalidLine(
  bytes: Buffer,
  isValid: (bytes: Buffer) => boolean,
  broken: ProblemRule,
  nextTurn: TurnAwaiter,
): Promise<void> {
  if (isValid(bytes)) return;
  let [from, line] = [0, 1];
  for (const atOnce of [TEXT_BYTES_BEFORE_YIELD, 1])
    for (;;) {
      await nextTurn();
      const end = bytes.indexOf(LINE_FEED, from + atOnce - 1) + 1 || bytes.length;
      const piece = bytes.subarray(from, end);
      if (!isValid(piece) || end === bytes.length) break;
      for (const byte of piece) if (byte === LINE_FEED) line += 1;
      from = end;
    }
  const problems = new ProblemList();
  problems.add({ line }, '', broken);
  problems.throwIfAny();
}

const LINE_FEED = 0x0a;
