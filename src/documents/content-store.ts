import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';
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

/** Every method throws RequestError ERROR_UNAVAILABLE where the store is out of reach or stalls. */
export interface ContentStore {
  /** Moves a complete upload into the store; the store then holds the whole content or nothing. */
  readonly put: (path: string, file: string) => Promise<void>;
  readonly size: (path: string) => Promise<number | undefined>;
  readonly read: (path: string, range?: ByteRange) => Promise<Readable>;
  /** Reads into one buffer, so each piece overwrites the one before; only the folder store has this method. */
  readonly readInPieces?: (path: string) => Promise<AsyncIterable<Buffer>>;
  /** Makes a signed URL that is valid for a minute; only the S3 store has this method. */
  readonly signedUrl?: (path: string, headers: ContentHeaders) => Promise<string>;
  /** Lists every content, ordered by the bytes of the paths. */
  list(): AsyncIterable<StoredContent>;
  readonly remove: (path: string) => Promise<void>;
  close(): void;
}

/** No segment begins with a dot: a path leads neither upwards nor into the folder of uploads. */
const PATH = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

export function isContentPath(path: string): boolean {
  return PATH.test(path);
}

export class StoreStalled extends Error {
  override readonly name = 'StoreStalled';
}

export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw storeUnavailable(error);
  });
}

/** Compares paths by bytes, as S3 lists them and as `collate "C"` sorts them. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

export function storeUnavailable(cause: unknown): RequestError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RequestError('ERROR_UNAVAILABLE', `the document store is out of reach: ${reason}`, {
    cause,
    kind: 'documents',
  });
}

/** Returns the SHA-256 in hex; undefined if the content has more than `size` bytes. */
export async function sha256Of(content: AsyncIterable<Buffer>, size: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    read += chunk.length;
    if (read > size) return undefined;
  }
  return hash.digest('hex');
}

/** Streams the content; the stream fails at its end if the SHA-256 differs. */
export function withDigestCheck(
  sha256: string,
  content: AsyncIterable<Buffer>,
  damagedError: () => Error,
): Readable {
  async function* checked(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw damagedError();
  }
  return Readable.from(checked(), { objectMode: false });
}

/**
 * Streams the content; the stream fails if the store sends nothing for `stallMs`. The time in which the reader
 * pauses does not count.
 */
export function withStallTimeout(
  content: Readable,
  stallMs: number,
  onFailure: (error: unknown) => void = () => undefined,
): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    const source = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const next = await withTimeout(stallMs, source.next(), () => {
          const stalled = storeUnavailable(new StoreStalled('the content stopped coming'));
          onFailure(stalled);
          return stalled;
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      content.destroy();
    }
  }
  return Readable.from(chunks(), { objectMode: false });
}
