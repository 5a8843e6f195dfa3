import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import { sqlFolder } from '../db/sql-folder.ts';
import { createContentStore, uploadFolder, type DocumentsOptions } from '../documents/documents.ts';
import { openUploads } from '../documents/uploads.ts';

/** Stores the contents of the demonstration's documents that the document store does not have yet. */
export async function storeDemonstrationDocuments(
  paths: readonly string[],
  options: Pick<DocumentsOptions, 'store' | 'endpoint' | 'dataDir'>,
  log: Logger,
): Promise<void> {
  const store = await createContentStore(options);
  try {
    const uploads = await openUploads(uploadFolder(options));
    for (const path of paths) {
      if ((await store.size(path)) !== undefined) continue;
      const content = createReadStream(join(sqlFolder('demonstration/documents'), basename(path)));
      await store.put(path, (await uploads.write(content)).file);
    }
  } catch (error) {
    log.warn({ err: error }, 'contents of the demonstration are missing: the next start tries again');
  } finally {
    store.close();
  }
}
