import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { rootEntryNames } from './compound-file.ts';
import { MAX_MAIL_HEAD_BYTES, PDF_HEADER_BYTES } from '../limits.ts';
import { rule, type ProblemRule } from '../problems.ts';
import { readSystemErrorCode } from '../system-error.ts';

interface DeclaredFile {
  readonly filename: string;
  readonly declaredType: string;
}

/** The type of an accepted file, or the reason of a refusal. */
type DetectedContent =
  | { readonly type: string; readonly broken?: undefined }
  | { readonly type?: undefined; readonly broken: ProblemRule };

const PDF = 'application/pdf';
const MAIL = 'message/rfc822';
const COMPOUND_FILE_TYPE = 'application/x-cfb';

/** The types that browsers show; a browser that could show HEIC saves it as the others do. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  PDF,
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/tiff',
]);

const ALLOWED_MEDIA_TYPES: ReadonlySet<string> = new Set([
  ...SHOWN_TYPES,
  'image/heic',
  'image/heif',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
]);

const ENCODING_RULES = {
  windows_1252: rule('file_type.windows_1252'),
  utf_16: rule('file_type.utf_16'),
} as const;

export function isShownByBrowsers(type: string): boolean {
  return SHOWN_TYPES.has(type);
}

export async function detectContent(file: string, declared: DeclaredFile): Promise<DetectedContent> {
  const { fileTypeFromFile } = await import('file-type');
  const detected = (await fileTypeFromFile(file))?.mime;
  // The text check comes before the check for binary types, because a text file may by chance begin with a binary
  // signature. The PDF check comes before the text check, because a PDF file may consist of text only.
  if (detected === PDF) return { type: PDF };
  if (isNamedAsMail(declared) && (await hasMailHead(file))) return { type: MAIL };
  const textType = detectTextType(declared);
  const encoding = textType === undefined ? undefined : await detectEncoding(file);
  if (textType !== undefined && encoding === 'utf-8') return { type: textType };
  if (detected === COMPOUND_FILE_TYPE) return detectOfficeContent(file);
  if (detected !== undefined && ALLOWED_MEDIA_TYPES.has(detected)) return { type: detected };
  if (detected?.includes('.macroenabled')) return { broken: rule('file_type.macros') };
  if (encoding !== undefined && encoding !== 'utf-8') return { broken: ENCODING_RULES[encoding] };
  return detected === undefined && (await hasLatePdfHeader(file)) ? { type: PDF } : { broken: rule('file_type') };
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

async function detectOfficeContent(file: string): Promise<DetectedContent> {
  const names = await rootEntryNames(file);
  if (names.has('WordDocument')) return { type: 'application/msword' };
  if (names.has('Workbook') || names.has('Book')) return { type: 'application/vnd.ms-excel' };
  // Office puts a document with a password, whole and encrypted, into a compound file ([MS-OFFCRYPTO], section 1.3.2).
  return { broken: rule(names.has('EncryptedPackage') ? 'file_type.password' : 'file_type') };
}

function isNamedAsMail({ filename, declaredType }: DeclaredFile): boolean {
  return declaredType === MAIL || filename.toLowerCase().endsWith('.eml');
}

/** The first line is a field of a mail's head, or that of a mailbox file; a field that each mail has is in the head. */
const MAIL_HEAD = /^(?:\xef\xbb\xbf)?(?:>?From [^\r\n]*\r?\n)?[!-9;-~]+[ \t]*:[^\0]*$/;
const MAIL_FIELD = /^(?:from|date|received|message-id|mime-version|return-path)[ \t]*:/im;

/** A mail has no signature bytes, and its body may have any encoding. */
async function hasMailHead(file: string): Promise<boolean> {
  const [head = ''] = (await readStart(file, MAX_MAIL_HEAD_BYTES)).split(/\r?\n\r?\n/, 1);
  return MAIL_HEAD.test(head) && MAIL_FIELD.test(head.replace(/^\xef\xbb\xbf/, ''));
}

/** PDF readers also open a file whose PDF header follows other bytes, such as a line feed or the head of a print job. */
async function hasLatePdfHeader(file: string): Promise<boolean> {
  return (await readStart(file, PDF_HEADER_BYTES)).includes('%PDF-');
}

/** Reads the first bytes of a file as Latin-1, where each byte is one character. */
async function readStart(file: string, length: number): Promise<string> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

const CONTROL_CHARACTER = /[\0-\x08\x0b\x0e-\x1f\x7f]/;
/** The bytes that are no letter in Windows-1252. */
const NOT_IN_WINDOWS_1252 = /[\x81\x8d\x8f\x90\x9d]/;
const UTF_16_MARK = /^(?:\xff\xfe|\xfe\xff)/;

/** Returns undefined for a file that is no text. */
async function detectEncoding(file: string): Promise<'utf-8' | keyof typeof ENCODING_RULES | undefined> {
  if (UTF_16_MARK.test(await readStart(file, 2))) return 'utf_16';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [isUtf8, isWindows1252] = [true, true];
  const decode = (chunk?: Buffer): boolean => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch (error) {
      if (readSystemErrorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
      throw error;
    }
  };
  for await (const chunk of createReadStream(file)) {
    const bytes = (chunk as Buffer).toString('latin1');
    if (CONTROL_CHARACTER.test(bytes)) return undefined;
    isUtf8 &&= decode(chunk as Buffer);
    isWindows1252 &&= !NOT_IN_WINDOWS_1252.test(bytes);
    if (!isUtf8 && !isWindows1252) return undefined;
  }
  if (isUtf8 && decode()) return 'utf-8';
  return isWindows1252 ? 'windows_1252' : undefined;
}
