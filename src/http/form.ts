import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import multer from 'multer';
import { RequestError } from '../errors.ts';

/** The one file of a form, with what the sender says of it. */
export interface FormFile<T> {
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

/** What a form may be longer than its file: boundaries and headers. */
const FRAME_BYTES = 64 * 1024;

/**
 * Reads a form with one file and nothing else. The content is never held whole. When this throws, whatever was stored
 * is discarded already.
 * @throws RequestError ERROR_UNSUPPORTED_MEDIA_TYPE, ERROR_PAYLOAD_TOO_LARGE, ERROR_VALIDATION, and what `store` throws
 */
export async function readForm<T>(incoming: IncomingMessage, options: FormOptions<T>): Promise<FormFile<T>> {
  requireForm(incoming.headers['content-type']);
  const length = Number(incoming.headers['content-length'] ?? 0);
  if (length > options.maxBytes + FRAME_BYTES) throw tooLarge(`a form of ${length} bytes`);
  let received: FormFile<T> | undefined;
  const writes: Promise<unknown>[] = [];
  const storage: multer.StorageEngine = {
    _handleFile: (_request, { originalname: filename, mimetype: declaredType, stream }, done) => {
      const write = take(stream, filename, options).then((stored) => {
        received = { filename, declaredType, stored };
      });
      writes.push(write);
      write.then(() => {
        done(null);
      }, done);
    },
    // All is discarded at the end, in one place.
    _removeFile: (_request, _file, done) => {
      done(null);
    },
  };
  try {
    await parse(incoming, storage, options);
    if (received === undefined) throw malformed(options.field, 'is required: a file with a name');
    return received;
  } catch (error) {
    await Promise.allSettled(writes);
    if (received !== undefined) await options.discard(received.stored);
    throw meaningOf(error, options.field);
  }
}

async function take<T>(
  content: Readable,
  filename: string,
  { field, refuseName, store }: FormOptions<T>,
): Promise<T> {
  const rule = refuseName(filename);
  if (rule === undefined) return store(content);
  content.resume();
  throw malformed(field, rule);
}

type Middleware = (request: IncomingMessage, response: undefined, next: (error: unknown) => void) => void;

async function parse<T>(
  incoming: IncomingMessage,
  storage: multer.StorageEngine,
  { field, maxBytes }: FormOptions<T>,
): Promise<void> {
  const upload = multer({
    storage,
    // A name is data: what looks like a folder in it stays, and accents are not taken for Latin-1.
    preservePath: true,
    defParamCharset: 'utf8',
    limits: { files: 1, fields: 0, fileSize: maxBytes },
  });
  // Of the request it reads headers and stream, and of the response nothing.
  const read = upload.single(field) as unknown as Middleware;
  await new Promise<void>((resolve, reject) => {
    read(incoming, undefined, (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error instanceof Error ? error : new Error('the form was not read', { cause: error }));
    });
  });
}

function requireForm(contentType: string | undefined): void {
  try {
    if (new MIMEType(contentType ?? '').essence === 'multipart/form-data') return;
  } catch {
    // Not a media type at all.
  }
  throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
}

/** What went wrong with a form, unless it is known already; a caller who hung up sent half of one. */
function meaningOf(error: unknown, field: string): unknown {
  if (error instanceof RequestError) return error;
  if (!(error instanceof multer.MulterError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return malformed('body', 'must be a whole multipart form', reason);
  }
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(error.message);
    case 'LIMIT_UNEXPECTED_FILE':
      return malformed(error.field ?? 'body', `is not known here: the field is ${field}`);
    default:
      return malformed('body', `must hold one file in the field ${field}, and nothing else`, error.message);
  }
}

function malformed(name: string, rule: string, reason = rule): RequestError {
  return new RequestError('ERROR_VALIDATION', `${name}: ${reason}`, { details: { [name]: rule } });
}

function tooLarge(reason: string): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', reason);
}
