import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { DocumentStore } from '../config/values.ts';
import type { DatabaseLogin } from '../db/database.ts';
import { RightMissing, sqlState } from '../db/errors.ts';
import { createLongRequestLimit } from '../db/row-stream.ts';
import { RequestError } from '../errors.ts';
import { withTimeout } from '../timeout.ts';
import {
  computeSha256,
  withStallTimeout,
  storeUnavailableError,
  StoreStalled,
  type ContentStore,
} from './content-store.ts';
import { createFolderStore, buildUploadFolderPath } from './folder-store.ts';
import { CONCURRENT_ZIP_ARCHIVES, DOCUMENT_STORE_STALL_TIMEOUT_MS } from '../limits.ts';
import { createRemovals } from './removals.ts';
import type { S3Options } from './s3-store.ts';
import { openUploads, type UploadedFile } from './uploads.ts';

export type Documents = Awaited<ReturnType<typeof openDocuments>>;

export interface DocumentsOptions {
  readonly store: DocumentStore;
  readonly endpoint: string | undefined;
  readonly dataDir: string;
  readonly maxBytes: number;
  readonly presignedDownloads?: boolean;
  readonly database: DatabaseLogin;
  readonly log: Logger;
  readonly s3Access?: S3Options['access'];
  readonly timeouts?: S3Options['timeouts'];
}

export async function openDocuments(options: DocumentsOptions) {
  const { maxBytes, database, log } = options;
  const { store, failures, failed: recordFailure, damagedContent } = countFailures(await createContentStore(options));
  const uploads = await openUploads(uploadFolder(options)).catch((error: unknown) => {
    throw new Error(`${folderVariable(options)} cannot be written to: ${String(error)}`, { cause: error });
  });
  const removals = createRemovals(store, uploads, database, log);
  const readContent: ContentStore['read'] = async (path, range) =>
    withStallTimeout(await store.read(path, range), DOCUMENT_STORE_STALL_TIMEOUT_MS, recordFailure);

  /** Stores an upload and reads it back, because a faulty store may report success and hold other bytes. */
  async function putAndVerify(path: string, { file, size, sha256 }: UploadedFile): Promise<void> {
    await store.put(path, file);
    const stored = await Promise.resolve(store.readInPieces?.(path) ?? readContent(path)).then(
      (content) => computeSha256(content, size).catch(failReadBack),
      (error: unknown) => {
        if (error instanceof RequestError) throw error;
        return String(error);
      },
    );
    if (stored === sha256) return;
    await removals.removeNow(path);
    throw storeUnavailableError(
      damagedContent(`it was given ${sha256} at ${path}, and gives back ${stored ?? 'more bytes'}`),
    );
  }

  function failReadBack(error: unknown): never {
    if (error instanceof RequestError) throw error;
    const unavailable = storeUnavailableError(error);
    recordFailure(unavailable);
    throw unavailable;
  }

  return {
    maxBytes,
    addressOf: options.presignedDownloads === true ? store.signedUrl : undefined,
    write: (content: Readable) => uploads.write(content),
    discard: uploads.discard,
    size: store.size,
    read: readContent,
    damaged: damagedContent,
    archiveLimit: createLongRequestLimit(CONCURRENT_ZIP_ARCHIVES),
    figures: () => ({ ...failures }),
    removeDueContents: () => removals.removeDueContents(),
    /** Stores an upload, then inserts its database row. @throws the error of `insertRow`, and ERROR_UNAVAILABLE */
    async storeWithRow<T>(upload: UploadedFile, insertRow: (contentPath: string) => Promise<T>): Promise<T> {
      const name = randomUUID();
      const contentPath = `${name.slice(0, 2)}/${name}`;
      try {
        await removals.plan(contentPath);
        await putAndVerify(contentPath, upload);
      } catch (error) {
        await uploads.discard(upload);
        throw error;
      }
      try {
        return await insertRow(contentPath);
      } catch (error) {
        // If the database connection was lost, the document's row may exist. The service planned a removal before the
        // upload; the removal deletes the content only if no document row exists.
        if (hasCertainlyFailed(error)) await removals.removeNow(contentPath);
        throw error;
      }
    },
    async close(withinMs = DOCUMENT_STORE_STALL_TIMEOUT_MS): Promise<void> {
      await withTimeout(
        withinMs,
        removals.close(),
        () => new Error('contents without a document are still being removed'),
      ).catch((error: unknown) => {
        log.warn({ err: error }, 'closing the document store failed');
      });
      store.close();
    },
  };
}

/** Counts failures of the document store. `damagedContent` counts a damaged content and returns the error to throw. */
function countFailures(store: ContentStore) {
  const failures = { away: 0, stalled: 0, damaged: 0 };
  const count = (error: unknown): void => {
    if (!(error instanceof RequestError) || error.code !== 'ERROR_UNAVAILABLE') return;
    failures[error.cause instanceof StoreStalled ? 'stalled' : 'away'] += 1;
  };
  const counting =
    <A extends readonly unknown[], T>(method: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await method(...args);
      } catch (error) {
        count(error);
        throw error;
      }
    };
  return {
    failures,
    failed: count,
    damagedContent: (reason: string): Error => {
      failures.damaged += 1;
      return new Error(reason);
    },
    store: {
      ...store,
      put: counting(store.put),
      size: counting(store.size),
      read: counting(store.read),
      ...(store.readInPieces && { readInPieces: counting(store.readInPieces) }),
      remove: counting(store.remove),
    },
  };
}

function hasCertainlyFailed(error: unknown): boolean {
  if (error instanceof RequestError) return error.status < 500;
  return sqlState(error) !== undefined || error instanceof RightMissing;
}

export async function createContentStore({
  store,
  endpoint,
  s3Access,
  timeouts,
}: Pick<DocumentsOptions, 'store' | 'endpoint' | 's3Access' | 'timeouts'>): Promise<ContentStore> {
  if (store.kind === 'folder') return createFolderStore(store.path);
  const { createS3Store, requireRegion } = await import('./s3-store.ts');
  await requireRegion(s3Access);
  return createS3Store({ ...store, endpoint, timeouts, ...(s3Access && { access: s3Access }) });
}

/** Returns the folder of the uploads in progress, from which `put` of the content store moves a file. */
export function uploadFolder({ store, dataDir }: Pick<DocumentsOptions, 'store' | 'dataDir'>): string {
  return store.kind === 'folder' ? buildUploadFolderPath(store.path) : join(dataDir, 'uploads');
}

function folderVariable({ store, dataDir }: DocumentsOptions): string {
  return store.kind === 'folder' && store.path !== `${dataDir}/documents` ? 'DOCUMENT_STORE' : 'DATA_DIR';
}
