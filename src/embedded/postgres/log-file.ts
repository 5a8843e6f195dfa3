import { copyFile, stat, truncate } from 'node:fs/promises';
import { EMBEDDED_LOG_BYTES } from '../../limits.ts';

/** Puts what is in the log aside where it has become too long. A server that runs writes on, for it only ever appends. */
export async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= EMBEDDED_LOG_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}
