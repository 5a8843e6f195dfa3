import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { RequestError } from '../../errors.ts';
import { mediaTypeOf } from '../../http/body.ts';
import { bodyOf } from '../../http/body-stream.ts';
import { FORM_BOUNDARY_CHARACTERS, FORM_FRAME_BYTES, FORM_PARTS } from '../../limits.ts';

/** The one file of a form, with what the sender says of it. */
export interface FormFile<T> {
  /** The last component of what was sent, which may be empty: a path is nobody's business (RFC 7578, section 4.2). */
  readonly filename: string;
  readonly declaredType: string;
  /** What `store` gave. */
  readonly stored: T;
}

export interface FormOptions<T> {
  /** The field of the file. */
  readonly field: string;
  readonly maxBytes: number;
  /** Why a file may not be called so, before its content is taken; undefined where it may. */
  readonly refuseName: (name: string) => string | undefined;
  /** Takes the content as it comes. It may end early, and is then discarded. */
  readonly store: (content: Readable) => Promise<T>;
  readonly discard: (stored: T) => Promise<void>;
}

/**
 * Reads a form with one file and nothing else. The content is never held whole. When this throws, whatever was stored
 * is discarded already, and nothing more of the form is read.
 * @throws RequestError ERROR_UNSUPPORTED_MEDIA_TYPE, ERROR_PAYLOAD_TOO_LARGE, ERROR_REQUEST_TIMEOUT, ERROR_VALIDATION,
 * and what `store` throws
 */
export async function readForm<T>(incoming: IncomingMessage, options: FormOptions<T>): Promise<FormFile<T>> {
  requireForm(incoming.headers['content-type']);
  const maxBytes = options.maxBytes + FORM_FRAME_BYTES;
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > maxBytes) throw tooLarge(`a form of ${length} bytes`);
  const parser = parserOf(incoming, options.maxBytes);
  const file = takeFile(parser, options);
  try {
    await pipeline(bodyOf(incoming, { maxBytes }), parser);
    const received = await file();
    if (received === undefined) throw malformed(options.field, 'is required: a file with a name');
    return received;
  } catch (error) {
    const received = await file().catch(() => undefined);
    if (received !== undefined) await options.discard(received.stored);
    throw meaningOf(error);
  }
}

function parserOf({ headers }: IncomingMessage, maxBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers,
      // Accents are not taken for Latin-1.
      defParamCharset: 'utf8',
      // It tells of a file that reaches the limit, also of one that ends there.
      limits: { files: 1, fields: 0, parts: FORM_PARTS, fileSize: maxBytes + 1 },
    });
  } catch (error) {
    throw meaningOf(error);
  }
}

/** Begins to store the file when it comes, and ends the parser on anything else; gives what became of the file. */
function takeFile<T>(
  parser: busboy.Busboy,
  { field, refuseName, store }: FormOptions<T>,
): () => Promise<FormFile<T> | undefined> {
  let taken: Promise<FormFile<T>> | undefined;
  const refuse = (error: unknown): void => {
    end(parser, error);
  };
  const refuseRest = (): void => {
    refuse(malformed('body', `must hold one file in the field ${field}, and nothing else`));
  };
  parser.on('file', (name: string | undefined, content, info: Partial<busboy.FileInfo>) => {
    const { filename: sent, mimeType: declaredType = '' } = info;
    // Whoever stores it learns of its errors.
    content.on('error', () => undefined);
    if (sent === undefined || name === undefined) {
      content.resume();
      return;
    }
    const filename = unescaped(sent);
    const rule = refuseName(filename);
    if (name !== field) refuse(malformed(unescaped(name), `is not known here: the field is ${field}`));
    else if (rule !== undefined) refuse(malformed(field, rule));
    else {
      content.once('limit', () => {
        refuse(tooLarge('a file beyond the limit'));
      });
      taken = store(content).then((stored) => ({ filename, declaredType, stored }));
      taken.catch(refuse);
    }
  });
  for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) parser.on(event, refuseRest);
  return () => Promise.resolve(taken);
}

function end(stream: Writable, error: unknown): void {
  stream.destroy(error instanceof Error ? error : new Error('the form was not read', { cause: error }));
}

/** Browsers write a quote and a line break in a name as these, and a percent sign as it is (HTML, section 4.10.22.8). */
function unescaped(name: string): string {
  return name.replaceAll(/%(?:22|0A|0D)/gi, (escape) => decodeURIComponent(escape));
}

function requireForm(contentType: string | undefined): void {
  const { type, parameters } = mediaTypeOf(contentType);
  if (type !== 'multipart/form-data')
    throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
  if ((parameters['boundary'] ?? '').length > FORM_BOUNDARY_CHARACTERS)
    throw malformed('body', `must have a boundary of at most ${FORM_BOUNDARY_CHARACTERS} characters`);
}

/** What went wrong with a form, unless it is known already. */
function meaningOf(error: unknown): unknown {
  if (error instanceof RequestError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return malformed('body', 'must be a whole multipart form', reason);
}

function malformed(name: string, rule: string, reason = rule): RequestError {
  return new RequestError('ERROR_VALIDATION', `${name}: ${reason}`, { details: { [name]: rule } });
}

function tooLarge(reason: string): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', reason);
}
