import { parse } from 'node:path';
import * as field from '../../http/fields.ts';
import { readLine } from '../../http/typed-text.ts';
import { rule } from '../../problems.ts';
import { MAX_ZIP_FILE_EXTENSION_BYTES, MAX_ZIP_FILE_STEM_BYTES } from '../../limits.ts';

/** Matches invalid file names: with folders, control characters, or U+FFFD, which replaces bytes that are not UTF-8. */
const INVALID_NAME = /[\p{Cc}\ufffd/\\]|^\.{1,2}$/u;

export const fileName = field
  .exactText(255)
  .refine((name) => readLine(name) !== '', rule('blank'))
  .refine((name) => !INVALID_NAME.test(name), rule('not_a_file_name.folders'))
  .meta({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'No folders.' });

/** Makes the file names of an archive unique and valid on every system: a repeated name gets a number. */
export function makeNamesDistinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name, index) => {
    const { name: stem, ext } = parse(convertToPortableName(name));
    const [start, end] = [
      truncateToBytes(stem, MAX_ZIP_FILE_STEM_BYTES),
      replaceEnd(truncateToBytes(ext, MAX_ZIP_FILE_EXTENSION_BYTES)),
    ];
    let one = end === '' ? replaceEnd(start) : start + end;
    for (let number = index + 1; used.has(foldCase(one)); number += 1) one = `${start} (${number})${end}`;
    used.add(foldCase(one));
    return one;
  });
}

/** Names that differ only in case are one name on Windows and macOS, also names with σ and ς, or with ß, ẞ and ss. */
function foldCase(name: string): string {
  return name.toLowerCase().toUpperCase();
}

/** Makes a file name that Windows, macOS and Linux all accept, and that people read as it is. */
function convertToPortableName(name: string): string {
  const portable = name
    .normalize('NFC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '_')
    .replace(DEVICE_NAME, '_$&');
  return replaceEnd(portable) || '_';
}

/** Windows takes these names for devices, also before a dot, and with blanks before it. */
const DEVICE_NAME = /^(?:con(?:in\$|out\$)?|prn|aux|nul|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;

/** Windows removes dots and blanks at the end of a name. */
function replaceEnd(name: string): string {
  return name.replace(/[. ]+$/, '_');
}

function truncateToBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}
