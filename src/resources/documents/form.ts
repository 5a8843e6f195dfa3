import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { z } from 'zod';
import { problemsText, validationError, RequestError } from '../../errors.ts';
import { parseMediaType } from '../../http/body.ts';
import { limitBody, tooLargeError } from '../../http/body-stream.ts';
import { validateInputPart } from '../../http/input.ts';
import { readLine } from '../../http/typed-text.ts';
import { rule, type ProblemRule } from '../../problems.ts';
import { MAX_MULTIPART_BOUNDARY_CHARACTERS, MULTIPART_OVERHEAD_BYTES, MAX_MULTIPART_PARTS } from '../../limits.ts';

const FILE_FIELD = 'file';
/** The text fields with which Uppy describes the file. */
const UPPY_FIELDS: readonly string[] = ['name', 'type', 'relativePath'];
/** FilePond describes the file as a JSON object, in a text field of the file's name. */
const FILEPOND_METADATA = /^\{[^]*\}$/;
const MAX_FILE_NAME_CHARACTERS = 255;
export const FILE_NAME_LENGTH_TEXT = `a name of 1 to ${MAX_FILE_NAME_CHARACTERS} characters`;

interface UploadTarget<T, F extends z.ZodObject> {
  readonly maxBytes: number;
  /** The text fields that a form may have beside its file. */
  readonly fields: F;
  readonly write: (content: Readable) => Promise<T>;
  readonly discard: (stored: T) => Promise<void>;
}

/** Discards the stored file if the form is refused. @throws RequestError, and the errors of `write` */
export async function readForm<T, F extends z.ZodObject>(incoming: IncomingMessage, target: UploadTarget<T, F>) {
  requireForm(incoming.headers['content-type']);
  const maxBytes = target.maxBytes + MULTIPART_OVERHEAD_BYTES;
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > maxBytes) throw tooLargeError(`a form of ${length} bytes`);
  const parser = createFormParser(incoming, target.maxBytes);
  const refuse = (error: unknown): void => {
    parser.destroy(error instanceof Error ? error : new Error('the form was not read', { cause: error }));
  };
  const fields = receiveFields(parser, target.fields, refuse);
  const received = receiveFile(parser, target.write, refuse);
  try {
    await pipeline(limitBody(incoming, { maxBytes }), parser);
    const file = await received();
    if (file === undefined) throw validationError(FILE_FIELD, rule('required.file'));
    return { ...file, fields: fields as z.output<F> };
  } catch (error) {
    const file = await received().catch(() => undefined);
    if (file !== undefined) await target.discard(file.upload);
    throw convertToRequestError(error);
  }
}

function createFormParser({ headers }: IncomingMessage, maxBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      // Busboy already reports a file of exactly `fileSize` bytes as too large, so the limit is one byte higher.
      limits: { files: 1, fieldSize: MULTIPART_OVERHEAD_BYTES, parts: MAX_MULTIPART_PARTS, fileSize: maxBytes + 1 },
    });
  } catch (error) {
    throw convertToRequestError(error);
  }
}

/** Collects the text fields of the form, before and after its file. */
function receiveFields(parser: busboy.Busboy, schema: z.ZodObject, refuse: (error: unknown) => void) {
  const fields: Record<string, unknown> = {};
  parser.on('field', (name: string | undefined, value) => {
    if (name === undefined || name === FILE_FIELD) {
      if (name === undefined || !FILEPOND_METADATA.test(value)) refuse(notOneFileError());
    } else if (UPPY_FIELDS.includes(name)) return;
    else if (Object.hasOwn(fields, name)) refuse(validationError(name, rule('given_twice')));
    else {
      const { value: checked, problems } = validateInputPart('body', schema, { [name]: value });
      if (problems.length > 0) refuse(new RequestError('ERROR_VALIDATION', problemsText(problems), { problems }));
      Object.assign(fields, checked);
    }
  });
  return fields;
}

function receiveFile<T>(
  parser: busboy.Busboy,
  write: UploadTarget<T, z.ZodObject>['write'],
  refuse: (error: unknown) => void,
) {
  let received: Promise<{ filename: string; declaredType: string; upload: T }> | undefined;
  parser.on('file', (name: string | undefined, content, info: Partial<busboy.FileInfo>) => {
    const { filename: sent, mimeType: declaredType = '' } = info;
    content.on('error', () => undefined);
    if (sent === undefined || name === undefined) {
      content.resume();
      return;
    }
    // Busboy removes folders from the file name (RFC 7578, section 4.2).
    const filename = unescapeName(sent);
    const broken = findBrokenNameRule(filename);
    if (name !== FILE_FIELD)
      refuse(validationError(unescapeName(name), rule('unknown_field.form', { field: FILE_FIELD })));
    else if (broken !== undefined) refuse(validationError(FILE_FIELD, broken));
    else {
      content.once('limit', () => {
        refuse(tooLargeError('a file beyond the limit'));
      });
      received = write(content).then((upload) => ({ filename, declaredType, upload }));
      received.catch(refuse);
    }
  });
  for (const event of ['filesLimit', 'partsLimit'] as const)
    parser.on(event, () => {
      refuse(notOneFileError());
    });
  return () => Promise.resolve(received);
}

function notOneFileError(): RequestError {
  return validationError('body', rule('not_one_file', { field: FILE_FIELD }));
}

/** A file name that was not valid UTF-8 contains U+FFFD after decoding. */
function findBrokenNameRule(name: string): ProblemRule | undefined {
  if (readLine(name) === '' || Array.from(name).length > MAX_FILE_NAME_CHARACTERS)
    return rule('not_a_file_name', { max: MAX_FILE_NAME_CHARACTERS });
  return /[\p{Cc}\ufffd]/u.test(name) || !name.isWellFormed() ? rule('not_a_file_name.characters') : undefined;
}

/** Browsers escape only quotes and line breaks in a file name (HTML, section 4.10.22.8). */
function unescapeName(name: string): string {
  return name.replaceAll(/%(?:22|0A|0D)/gi, (escape) => decodeURIComponent(escape));
}

function requireForm(contentType: string | undefined): void {
  const { type, parameters } = parseMediaType(contentType);
  if (type !== 'multipart/form-data')
    throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
  if ((parameters['boundary'] ?? '').length > MAX_MULTIPART_BOUNDARY_CHARACTERS)
    throw validationError('body', rule('not_a_form.boundary', { max: MAX_MULTIPART_BOUNDARY_CHARACTERS }));
}

function convertToRequestError(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  return validationError('body', rule('not_a_form'), error instanceof Error ? error.message : String(error));
}
