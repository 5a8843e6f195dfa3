import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import { sqlFolder } from '../db/sql-folder.ts';
import type { Documents } from '../documents/documents.ts';

export async function storeDemonstrationDocuments(
  paths: readonly string[],
  documents: Pick<Documents, 'restore' | 'size'>,
  log: Logger,
): Promise<void> {
  const demonstrationDocumentFolder = sqlFolder('demonstration/documents');
  try {
    for (const path of paths) {
      if ((await documents.size(path)) !== undefined) continue;
      await documents.restore(path, createReadStream(join(demonstrationDocumentFolder, basename(path))));
    }
  } catch (error) {
    log.warn({ err: error }, 'contents of the demonstration are missing: the next start tries again');
  }
}
