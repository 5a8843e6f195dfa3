import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { DocumentStore } from '../config/values.ts';
import type { Database } from '../db/database.ts';
import { RightMissing, sqlState } from '../db/errors.ts';
import { RequestError } from '../errors.ts';
import { within } from '../within.ts';
import { outOfReach } from './content-store.ts';
import type { ContentStore } from './content-store.ts';
import { digestOf } from './digest.ts';
import { counting } from './failures.ts';
import type { StoreFailures } from './failures.ts';
import { createFolderStore, spoolFolderOf } from './folder-store.ts';
import { STORE_STALL_MS } from '../limits.ts';
import { createRemovals } from './removals.ts';
import type { S3Options } from './s3-store.ts';
import { failingOnStall } from './stalls.ts';
import { openSpool } from './spool.ts';
import type { SpooledFile } from './spool.ts';

/** The contents of documents: as many as there are rows of documents, whatever fails in between. */
export type Documents = Awaited<ReturnType<typeof openDocuments>>;

export interface DocumentsOptions {
  readonly store: DocumentStore;
  readonly endpoint: string | undefined;
  readonly dataDir: string;
  readonly maxBytes: number;
  /** Whether downloads lead to the store itself, where that has addresses. */
  readonly presignedDownloads?: boolean;
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
  /** Access to S3 other than what the SDK finds by itself. */
  readonly s3Access?: S3Options['access'];
  /** How long a bucket may take, where that is not as long as usual. */
  readonly bounds?: S3Options['bounds'];
}

export async function openDocuments(options: DocumentsOptions) {
  const { maxBytes, database, log } = options;
  const { store, failures, failed, damaged } = counting(await openStore(options));
  const spool = await openSpool(spoolFolder(options)).catch((error: unknown) => {
    throw new Error(`${variableOf(options)} cannot be written to: ${String(error)}`, { cause: error });
  });
  const removals = createRemovals({ store, spool, database, log });
  const read: ContentStore['read'] = async (path, range) =>
    failingOnStall(await store.read(path, range), STORE_STALL_MS, failed);

  /** What a store says of its own work is not believed: it has what it gives back. */
  async function place(path: string, { file, size, sha256 }: SpooledFile): Promise<void> {
    await store.place(path, file);
    const given = await read(path).then(
      (content) => digestOf(content, size).catch(brokenOff),
      (error: unknown) => {
        if (error instanceof RequestError) throw error;
        return String(error);
      },
    );
    if (given === sha256) return;
    await removals.removeNow(path);
    throw outOfReach(damaged(`it was given ${sha256} at ${path}, and gives back ${given ?? 'more bytes'}`));
  }

  function brokenOff(error: unknown): never {
    if (error instanceof RequestError) throw error;
    const away = outOfReach(error);
    failed(away);
    throw away;
  }

  return {
    maxBytes,
    /** Where a download leads to the store itself; undefined where it is answered here. */
    addressOf: options.presignedDownloads === true ? store.addressOf : undefined,
    write: (content: Readable) => spool.write(content),
    discard: (spooled: SpooledFile) => spool.discard(spooled),
    size: (path: string) => store.size(path),
    read,
    /** Counts a content that is not what was uploaded, and gives the error to throw. */
    damaged,
    /** How often the store did not do what it must: it was away, it stood still, or it had other bytes. */
    figures: (): StoreFailures => ({ ...failures }),
    removeDue: () => removals.removeDue(),
    /**
     * Puts a file that was written aside into the store, reads it back, then calls for the row that holds its path. The
     * file is taken over: whatever happens, the caller has nothing left to remove.
     * @throws whatever `insertRow` does, and RequestError ERROR_UNAVAILABLE, also where the store gives back other bytes
     */
    async keep<T>(spooled: SpooledFile, insertRow: (path: string) => Promise<T>): Promise<T> {
      const path = newPath();
      try {
        await removals.plan(path);
        await place(path, spooled);
      } catch (error) {
        await spool.discard(spooled);
        throw error;
      }
      try {
        return await insertRow(path);
      } catch (error) {
        // Refused by the server or by us, the row is surely not there. After a lost connection it may yet come: the plan
        // stands, and finds out in an hour.
        if (isRefusal(error)) await removals.removeNow(path);
        throw error;
      }
    },
    /** Puts a content under a path that a row has already. */
    async restore(path: string, content: Readable): Promise<void> {
      await place(path, await spool.write(content));
    },
    /** Ends the removals that are under way; those that take longer than that are broken off, and stay planned. */
    async close(withinMs = STORE_STALL_MS): Promise<void> {
      const late = (): Error => new Error('contents without a document are still being removed');
      await within(withinMs, removals.close(), late).catch((error: unknown) => {
        log.warn({ err: error }, 'the document store is closed all the same');
      });
      store.close();
    },
  };
}

function isRefusal(error: unknown): boolean {
  if (error instanceof RequestError) return error.status < 500;
  return sqlState(error) !== undefined || error instanceof RightMissing;
}

/** The store by itself, for whoever looks at it and keeps nothing in it. */
export async function openStore({
  store,
  endpoint,
  s3Access,
  bounds,
}: Pick<DocumentsOptions, 'store' | 'endpoint' | 's3Access' | 'bounds'>): Promise<ContentStore> {
  if (store.kind === 'folder') return createFolderStore(store.path);
  // Its library takes longer to load than the rest of the service, which most have no bucket for.
  const { createS3Store } = await import('./s3-store.ts');
  return createS3Store({ ...store, endpoint, bounds, ...(s3Access && { access: s3Access }) });
}

function spoolFolder({ store, dataDir }: DocumentsOptions): string {
  return store.kind === 'folder' ? spoolFolderOf(store.path) : join(dataDir, 'uploads');
}

/** Which variable says where contents are written aside. */
function variableOf({ store, dataDir }: DocumentsOptions): string {
  const isOwn = store.kind === 'folder' && store.path !== `${dataDir}/documents`;
  return isOwn ? 'DOCUMENT_STORE' : 'DATA_DIR';
}

/** Says nothing of the document; the first part keeps folders small. */
function newPath(): string {
  const name = randomUUID();
  return `${name.slice(0, 2)}/${name}`;
}
