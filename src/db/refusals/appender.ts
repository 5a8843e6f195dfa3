import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SPOOL_FILE_BYTES } from '../../limits.ts';
import { syncFolder } from '../../make-folder.ts';

export interface SpoolFile {
  readonly path: string;
  size: number;
  records: number;
  readonly sinceMs: number;
}

/** Appends lines to a file until it is full or a write fails, then to a new one; `onSealed` gets each finished file. */
export function createAppender(nextPath: () => Promise<string>, onSealed: (file: SpoolFile) => void) {
  let waitingLines: (Omit<PromiseWithResolvers<undefined>, 'promise'> & { readonly line: string })[] = [];
  let currentFile: (SpoolFile & { readonly file: FileHandle }) | undefined;
  let lastOperationPromise: Promise<unknown> = Promise.resolve();

  function runInSequence<T>(operation: () => Promise<T>): Promise<T> {
    const operationResult = lastOperationPromise.then(operation);
    lastOperationPromise = operationResult.catch(() => undefined);
    return operationResult;
  }

  async function openNextFile(): Promise<NonNullable<typeof currentFile>> {
    const path = await nextPath();
    const file = await open(path, 'ax', 0o600);
    currentFile = { path, file, size: 0, records: 0, sinceMs: Date.now() };
    await syncFolder(dirname(path));
    return currentFile;
  }

  async function writeWaitingLines(): Promise<void> {
    const lineBatch = waitingLines;
    waitingLines = [];
    try {
      const targetFile = currentFile ?? (await openNextFile());
      const lineBatchBuffer = Buffer.from(lineBatch.map(({ line }) => line).join(''));
      await targetFile.file.appendFile(lineBatchBuffer);
      await targetFile.file.datasync();
      // Checks that nobody has deleted the file: a deleted file still accepts lines, but they would be lost.
      if ((await targetFile.file.stat()).nlink === 0) throw new Error(`${targetFile.path} was removed`);
      targetFile.size += lineBatchBuffer.length;
      targetFile.records += lineBatch.length;
      for (const { resolve } of lineBatch) resolve(undefined);
      if (targetFile.size >= SPOOL_FILE_BYTES) await sealCurrentFile();
    } catch (error) {
      for (const { reject } of lineBatch) reject(error);
      await sealCurrentFile();
    }
  }

  async function sealCurrentFile(): Promise<void> {
    const sealedFile = await detachCurrentFile();
    if (sealedFile !== undefined) onSealed(sealedFile);
  }

  async function detachCurrentFile(): Promise<SpoolFile | undefined> {
    if (currentFile === undefined) return undefined;
    const { file, ...sealed } = currentFile;
    currentFile = undefined;
    // Cuts the file to its complete lines, because a failed write may have added a part of a line.
    await file.truncate(sealed.size).catch(() => undefined);
    await file.close().catch(() => undefined);
    return sealed;
  }

  return {
    /** Resolves once the line is on the disk; lines that wait at the same time are synced together. */
    append(line: string): Promise<void> {
      const waitingLine = { line, ...Promise.withResolvers<undefined>() };
      waitingLines.push(waitingLine);
      if (waitingLines.length === 1) void runInSequence(writeWaitingLines);
      return waitingLine.promise;
    },
    seal: () => runInSequence(detachCurrentFile),
    get current(): SpoolFile | undefined {
      return currentFile;
    },
  };
}
