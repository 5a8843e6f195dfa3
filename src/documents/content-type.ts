import { createReadStream } from 'node:fs';
import { rootEntryNames } from './compound-file.ts';
import { readSystemErrorCode } from '../system-error.ts';

interface DeclaredFile {
  readonly filename: string;
  readonly declaredType: string;
}

const PDF = 'application/pdf';
const COMPOUND_FILE_TYPE = 'application/x-cfb';

const ALLOWED_MEDIA_TYPES: ReadonlySet<string> = new Set([
  PDF,
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/tiff',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
]);

export function isShownByBrowsers(type: string): boolean {
  return ALLOWED_MEDIA_TYPES.has(type) && (type === PDF || type.startsWith('image/'));
}

export async function detectContentType(file: string, declared: DeclaredFile): Promise<string | undefined> {
  const { fileTypeFromFile } = await import('file-type');
  const detected = (await fileTypeFromFile(file))?.mime;
  // The text check comes before the check for binary types, because a text file may by chance begin with a binary
  // signature. The PDF check comes before the text check, because a PDF file may consist of text only.
  if (detected === PDF) return PDF;
  const declaredText = detectTextType(declared);
  if (declaredText !== undefined && (await isTextFile(file))) return declaredText;
  if (detected === COMPOUND_FILE_TYPE) return detectOfficeType(file);
  return detected !== undefined && ALLOWED_MEDIA_TYPES.has(detected) ? detected : undefined;
}

/**
 * A text file has no signature bytes. The file's name or declared type must say CSV or plain text, so the service
 * refuses scripts and HTML pages.
 */
function detectTextType({ filename, declaredType }: DeclaredFile): string | undefined {
  const name = filename.toLowerCase();
  if (declaredType === 'text/csv' || name.endsWith('.csv')) return 'text/csv';
  return declaredType === 'text/plain' || name.endsWith('.txt') ? 'text/plain' : undefined;
}

async function detectOfficeType(file: string): Promise<string | undefined> {
  const names = await rootEntryNames(file);
  if (names.has('WordDocument')) return 'application/msword';
  return names.has('Workbook') || names.has('Book') ? 'application/vnd.ms-excel' : undefined;
}

const CONTROL_CHARACTER = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

async function isTextFile(file: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) {
      if (CONTROL_CHARACTER.test(decoder.decode(chunk as Buffer, { stream: true }))) return false;
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (readSystemErrorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}
