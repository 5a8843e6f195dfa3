import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { DocumentStore } from '../config/values.ts';
import type { Database } from '../db/database.ts';
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
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
  readonly s3Access?: S3Options['access'];
  readonly timeouts?: S3Options['timeouts'];
}

export async function openDocuments(options: DocumentsOptions) {
  const { maxBytes, database, log } = options;
  const {
    store,
    failures,
    failed: recordFailure,
    damagedContent,
  } = wrapStoreWithFailureCounts(await createContentStore(options));
  const uploads = await openUploads(uploadFolder(options)).catch((error: unknown) => {
    throw new Error(`${findFolderVariableName(options)} cannot be written to: ${String(error)}`, {
      cause: error,
    });
  });
  const contentRemovals = createRemovals(store, uploads, database, log);
  const readContent: ContentStore['read'] = async (path, range) =>
    withStallTimeout(await store.read(path, range), DOCUMENT_STORE_STALL_TIMEOUT_MS, recordFailure);

  /** Stores an upload and reads it back, because a faulty store may report success and hold other bytes. */
  async function putAndVerify(path: string, { file, size, sha256 }: UploadedFile): Promise<void> {
    await store.put(path, file);
    const storedDigest = await Promise.resolve(store.readInPieces?.(path) ?? readContent(path)).then(
      (content) => computeSha256(content, size).catch(throwReadBackError),
      (error: unknown) => {
        if (error instanceof RequestError) throw error;
        return String(error);
      },
    );
    if (storedDigest === sha256) return;
    await contentRemovals.removeNow(path);
    throw storeUnavailableError(
      damagedContent(`it was given ${sha256} at ${path}, and gives back ${storedDigest ?? 'more bytes'}`),
    );
  }

  function throwReadBackError(error: unknown): never {
    if (error instanceof RequestError) throw error;
    const unavailableError = storeUnavailableError(error);
    recordFailure(unavailableError);
    throw unavailableError;
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
    removeDueContents: () => contentRemovals.removeDueContents(),
    /** Stores an upload, then inserts its database row. @throws the error of `insertRow`, and ERROR_UNAVAILABLE */
    async storeWithRow<T>(upload: UploadedFile, insertRow: (contentPath: string) => Promise<T>): Promise<T> {
      const contentFileName = randomUUID();
      const contentPath = `${contentFileName.slice(0, 2)}/${contentFileName}`;
      try {
        await contentRemovals.plan(contentPath);
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
        if (hasInsertCertainlyFailed(error)) await contentRemovals.removeNow(contentPath);
        throw error;
      }
    },
    async close(withinMs = DOCUMENT_STORE_STALL_TIMEOUT_MS): Promise<void> {
      const timeoutError = (): Error => new Error('contents without a document are still being removed');
      await withTimeout(withinMs, contentRemovals.close(), timeoutError).catch((error: unknown) => {
        log.warn({ err: error }, 'closing the document store failed');
      });
      store.close();
    },
  };
}

/** Counts failures of the document store. `damagedContent` counts a damaged content and returns the error to throw. */
function wrapStoreWithFailureCounts(store: ContentStore) {
  const failures = { away: 0, stalled: 0, damaged: 0 };
  const countStoreFailure = (error: unknown): void => {
    if (!(error instanceof RequestError) || error.code !== 'ERROR_UNAVAILABLE') return;
    failures[error.cause instanceof StoreStalled ? 'stalled' : 'away'] += 1;
  };
  const wrapWithFailureCount =
    <A extends readonly unknown[], T>(method: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await method(...args);
      } catch (error) {
        countStoreFailure(error);
        throw error;
      }
    };
  return {
    failures,
    failed: countStoreFailure,
    damagedContent: (reason: string): Error => {
      failures.damaged += 1;
      return new Error(reason);
    },
    store: {
      ...store,
      put: wrapWithFailureCount(store.put),
      size: wrapWithFailureCount(store.size),
      read: wrapWithFailureCount(store.read),
      ...(store.readInPieces && { readInPieces: wrapWithFailureCount(store.readInPieces) }),
      remove: wrapWithFailureCount(store.remove),
    },
  };
}

function hasInsertCertainlyFailed(error: unknown): boolean {
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

function findFolderVariableName({ store, dataDir }: DocumentsOptions): string {
  const isConfiguredFolder = store.kind === 'folder' && store.path !== `${dataDir}/documents`;
  return isConfiguredFolder ? 'DOCUMENT_STORE' : 'DATA_DIR';
}
