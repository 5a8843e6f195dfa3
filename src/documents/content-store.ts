import type { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';

export interface ByteRange {
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

/** What whoever follows the address of a content is told of it. */
export interface Told {
  readonly type: string;
  /** The header Content-Disposition. */
  readonly disposition: string;
}

/**
 * Where the contents of documents lie, each under the path that its document's row has.
 * All throw RequestError ERROR_UNAVAILABLE where the store is out of reach, or says nothing for as long as that.
 */
export interface ContentStore {
  /** Takes over a file that was written aside. The content is there whole and for good, or not at all. */
  place(path: string, file: string): Promise<void>;
  /** How many bytes the content has; undefined where there is none. */
  size(path: string): Promise<number | undefined>;
  /** @throws Error also where there is no such content */
  read(path: string, range?: ByteRange): Promise<Readable>;
  /** An address where whoever has it reads the content, for a minute; only of a store that others can reach. */
  readonly addressOf?: (path: string, told: Told) => Promise<string>;
  /** Every content, in the order of the bytes of their paths; what comes or goes meanwhile may be among them or not. */
  list(): AsyncIterable<Stored>;
  remove(path: string): Promise<void>;
  close(): void;
}

/** Segments that do not begin with a dot: none leads upwards, and none into what the store keeps for itself. */
const PATH = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

/** True for a path that a content can lie under; whatever else a row says, there is nothing there. */
export function isContentPath(path: string): boolean {
  return PATH.test(path);
}

/** The store said nothing for as long as it may. */
export class StoreStalled extends Error {
  override readonly name = 'StoreStalled';
}

/** The order in which S3 lists, and `collate "C"` sorts. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** What is thrown where the store does not do what it must. */
export function outOfReach(cause: unknown): RequestError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RequestError('ERROR_UNAVAILABLE', `the document store is out of reach: ${reason}`, {
    cause,
    kind: 'documents',
  });
}
