import type { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Bounds {
  readonly answerMs: number;
  readonly stallMs: number;
}

export interface Stored {
  readonly path: string;
  readonly size: number;
}

export interface ContentHeaders {
  readonly type: string;
  readonly disposition: string;
}

/** The place of documents' contents. Throws RequestError ERROR_UNAVAILABLE where the store is out of reach or stalls. */
export interface ContentStore {
  /** Takes over a file that was written aside. The content is there whole and for good, or not at all. */
  readonly place: (path: string, file: string) => Promise<void>;
  readonly size: (path: string) => Promise<number | undefined>;
  /** @throws Error also where there is no such content */
  readonly read: (path: string, range?: ByteRange) => Promise<Readable>;
  /** An address where whoever has it reads the content, for a minute; only of a store that others can reach. */
  readonly addressOf?: (path: string, headers: ContentHeaders) => Promise<string>;
  /** Every content, in the order of the bytes of their paths; what comes or goes meanwhile may be among them or not. */
  list(): AsyncIterable<Stored>;
  readonly remove: (path: string) => Promise<void>;
  close(): void;
}

/** Segments that do not begin with a dot: none leads upwards, and none into what the store keeps for itself. */
const PATH = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

export function isContentPath(path: string): boolean {
  return PATH.test(path);
}

export class StoreStalled extends Error {
  override readonly name = 'StoreStalled';
}

/** @throws RequestError ERROR_UNAVAILABLE instead of whatever the work fails with */
export async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw outOfReach(error);
  }
}

/** The order in which S3 lists, and `collate "C"` sorts. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

export function outOfReach(cause: unknown): RequestError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RequestError('ERROR_UNAVAILABLE', `the document store is out of reach: ${reason}`, {
    cause,
    kind: 'documents',
  });
}
