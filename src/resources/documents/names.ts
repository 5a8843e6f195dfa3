import { parse } from 'node:path';
import * as field from '../../http/fields.ts';
import { rule } from '../../problems.ts';
import { MAX_ZIP_FILE_EXTENSION_BYTES, MAX_ZIP_FILE_STEM_BYTES } from '../../limits.ts';

/** Matches invalid file names: with folders, control characters, or U+FFFD, which replaces bytes that are not UTF-8. */
const INVALID_NAME = /[\p{Cc}\ufffd/\\]|^\.{1,2}$/u;

export const fileName = field
  .nonBlankText(255)
  .refine((name) => !INVALID_NAME.test(name), rule('not_a_file_name.folders'))
  .meta({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'No folders.' });

/** Makes the file names of an archive unique and valid on every system: a repeated name gets a number. */
export function makeNamesDistinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name, index) => {
    const { name: stem, ext } = parse(convertToPortableName(name));
    const [start, end] = [
      truncateToBytes(stem, MAX_ZIP_FILE_STEM_BYTES),
      truncateToBytes(ext, MAX_ZIP_FILE_EXTENSION_BYTES),
    ];
    let one = start + end;
    for (let number = index + 1; used.has(one.toLowerCase()); number += 1) one = `${start} (${number})${end}`;
    used.add(one.toLowerCase());
    return one;
  });
}

/** Makes a file name that Windows, macOS and Linux all accept. */
function convertToPortableName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, '_')
    .replace(/[. ]+$/, '_')
    .replace(/^(?:con|prn|aux|nul|(?:com|lpt)\d)(?=\.|$)/i, '_$&');
}

function truncateToBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}
