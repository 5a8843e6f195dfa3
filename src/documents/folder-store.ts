import { access, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../make-folder.ts';
import { readSystemErrorCode } from '../system-error.ts';
import { withTimeout } from '../timeout.ts';
import {
  compareBytes,
  isContentPath,
  storeUnavailableError,
  rejectAsUnavailable,
  StoreStalled,
} from './content-store.ts';
import type { ContentStore, StoredContent } from './content-store.ts';
import { UPLOAD_CHUNK_BYTES, DOCUMENT_STORE_RESPONSE_TIMEOUT_MS, DOCUMENT_STORE_STALL_TIMEOUT_MS } from '../limits.ts';

/** Uploads are on the same file system as the store, so that a rename moves an upload into the store. */
export function buildUploadFolderPath(folder: string): string {
  return join(folder, '.partial');
}

/** Stores contents as files below `folder`. `put` needs a file in the folder that `buildUploadFolderPath` returns. */
export function createFolderStore(folder: string): ContentStore {
  const filePath = (path: string): string => {
    if (!isContentPath(path)) throw new Error(`${path} is no path of a content`);
    return join(folder, path);
  };

  /** Returns undefined for a missing file; throws if there is no upload folder, because the disk may be unmounted. */
  const ifAbsent = async (error: unknown): Promise<undefined> => {
    if (!isMissingFile(error)) throw storeUnavailableError(error);
    await rejectAsUnavailable(access(buildUploadFolderPath(folder)));
  };

  /** Opens the file before the HTTP response begins, because a stream that opened the file would fail too late. */
  const openContent = async (path: string): Promise<FileHandle> => {
    const opening = open(filePath(path));
    const handle = await withDiskTimeout(opening.catch(ifAbsent), DOCUMENT_STORE_RESPONSE_TIMEOUT_MS, () => {
      void opening.then((late) => late.close()).catch(() => undefined);
    });
    if (handle === undefined) throw new Error(`there is no content at ${path}`);
    return handle;
  };

  return {
    put: (path, file) =>
      withDiskTimeout(rejectAsUnavailable(moveFile(file, filePath(path))), DOCUMENT_STORE_STALL_TIMEOUT_MS),
    async size(path) {
      if (!isContentPath(path)) return undefined;
      return withDiskTimeout(stat(filePath(path)).then(({ size }) => size, ifAbsent));
    },
    read: async (path, range) => (await openContent(path)).createReadStream(range),
    readInPieces: async (path) => readPieces(await openContent(path)),
    async *list() {
      await withDiskTimeout(rejectAsUnavailable(access(buildUploadFolderPath(folder))));
      yield* listContents(folder, '');
    },
    async remove(path) {
      if (isContentPath(path)) await withDiskTimeout(rm(filePath(path)).catch(ifAbsent));
    },
    close: () => undefined,
  };
}

async function* readPieces(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(UPLOAD_CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await withTimeout(
        DOCUMENT_STORE_STALL_TIMEOUT_MS,
        file.read(buffer),
        () => new StoreStalled('the content stopped coming'),
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    void file.close().catch(() => undefined);
  }
}

async function* listContents(folder: string, prefix: string): AsyncGenerator<StoredContent> {
  const reading = readdir(join(folder, prefix), { withFileTypes: true });
  const entries = (await withDiskTimeout(rejectAsUnavailable(reading.catch(ignoreMissingFile)))) ?? [];
  // The slash after a folder's name makes `compareBytes` put the folder where the paths inside it belong.
  const names = entries.map((entry) => `${prefix}${entry.name}${entry.isDirectory() ? '/' : ''}`);
  for (const name of names.sort(compareBytes)) {
    if (name.endsWith('/') && isContentPath(name.slice(0, -1))) yield* listContents(folder, name);
    if (!isContentPath(name)) continue;
    const stats = await withDiskTimeout(rejectAsUnavailable(stat(join(folder, name)).catch(ignoreMissingFile)));
    if (stats?.isFile() === true) yield { path: name, size: stats.size };
  }
}

function ignoreMissingFile(error: unknown): undefined {
  if (!isMissingFile(error)) throw error;
  return undefined;
}

async function moveFile(file: string, target: string): Promise<void> {
  const folder = dirname(target);
  await makeFolder(folder, 0o700);
  await rename(file, target);
  await syncFolder(folder);
}

/**
 * Limits the wait for a slow network disk. The disk may store a file after the time-out; a removal that was planned
 * before the upload then deletes the file.
 */
function withDiskTimeout<T>(
  operation: Promise<T>,
  limitMs = DOCUMENT_STORE_RESPONSE_TIMEOUT_MS,
  onTimeout = (): void => undefined,
): Promise<T> {
  return withTimeout(limitMs, operation, () => {
    onTimeout();
    return storeUnavailableError(new StoreStalled('the disk did not answer in time'));
  });
}

function isMissingFile(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(readSystemErrorCode(error) ?? '');
}
