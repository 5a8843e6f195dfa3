import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';
import { convertToSingleLine } from '../single-line.ts';
import { withTimeout } from '../timeout.ts';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoreTimeouts {
  readonly answerMs: number;
  readonly stallMs: number;
}

export interface StoredContent {
  readonly path: string;
  readonly size: number;
}

export interface ContentHeaders {
  readonly type: string;
  readonly disposition: string;
}

/** Every method throws RequestError ERROR_UNAVAILABLE if the store is unreachable or stalls. */
export interface ContentStore {
  /** Moves a complete upload file into the store atomically. */
  readonly put: (path: string, file: string) => Promise<void>;
  readonly size: (path: string) => Promise<number | undefined>;
  readonly read: (path: string, range?: ByteRange) => Promise<Readable>;
  /** Reads a content in pieces, which overwrite each other in one buffer. Only the folder store has `readInPieces`. */
  readonly readInPieces?: (path: string) => Promise<AsyncIterable<Buffer>>;
  /** Makes a signed URL that is valid for a minute; only the S3 store has this method. */
  readonly signedUrl?: (path: string, headers: ContentHeaders) => Promise<string>;
  /** Lists all stored contents, sorted by the bytes of their paths. */
  list(): AsyncIterable<StoredContent>;
  readonly remove: (path: string) => Promise<void>;
  close(): void;
}

/** No path segment may begin with a dot, so a path cannot contain `..` or enter the upload folder `.partial`. */
const CONTENT_PATH_PATTERN = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

export function isContentPath(path: string): boolean {
  return CONTENT_PATH_PATTERN.test(path);
}

export class StoreStalled extends Error {
  override readonly name = 'StoreStalled';
}

export async function rejectAsUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw storeUnavailableError(error);
  });
}

/** Compares two paths byte by byte, which is the sort order of S3 listings and of `collate "C"` in Postgres. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

export function storeUnavailableError(cause: unknown): RequestError {
  const reason = convertToSingleLine(cause instanceof Error ? cause.message : String(cause));
  return new RequestError('ERROR_UNAVAILABLE', `the document store is out of reach: ${reason}`, {
    cause,
    kind: 'documents',
  });
}

/** Returns the SHA-256 in hex; undefined if the content has more than `size` bytes. */
export async function computeSha256(content: AsyncIterable<Buffer>, size: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    count += chunk.length;
    if (count > size) return undefined;
  }
  return hash.digest('hex');
}

/** Streams the content; the stream fails at its end if the SHA-256 of the content is not `sha256`. */
export function withDigestCheck(sha256: string, content: AsyncIterable<Buffer>, damagedError: () => Error): Readable {
  async function* checkedChunks(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw damagedError();
  }
  return Readable.from(checkedChunks(), { objectMode: false });
}

/**
 * Streams the content; the stream fails if the store sends nothing for `stallMs`. Pauses of the stream's reader do not
 * count as a stall.
 */
export function withStallTimeout(
  content: Readable,
  stallMs: number,
  onFailure: (error: unknown) => void = () => undefined,
): Readable {
  async function* generateChunks(): AsyncGenerator<Buffer> {
    const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const next = await withTimeout(stallMs, chunks.next(), () => {
          const error = storeUnavailableError(new StoreStalled('the content stopped coming'));
          onFailure(error);
          return error;
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      content.destroy();
    }
  }
  return Readable.from(generateChunks(), { objectMode: false });
}
