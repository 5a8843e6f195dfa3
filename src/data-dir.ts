import { randomUUID } from 'node:crypto';
import { realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** To test DATA_DIR, the service writes a whole disk block, because a smaller write may succeed on a full disk. */
const PROBE_BYTES = Buffer.alloc(4_096);

export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir);
    const probeFile = join(dataDir, `.probe-${randomUUID()}`);
    try {
      await writeFile(probeFile, PROBE_BYTES, { flush: true, mode: 0o600 });
    } finally {
      await rm(probeFile, { force: true });
    }
    return await realpath(dataDir);
  } catch (error) {
    throw dataDirError(dataDir, error);
  }
}

export function dataDirError(dataDir: string, cause: unknown): Error {
  const failureReason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`DATA_DIR ${dataDir} cannot be used: ${failureReason}`, { cause });
}
