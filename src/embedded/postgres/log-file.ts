import { copyFile, stat, truncate } from 'node:fs/promises';
import type { Logger } from 'pino';

/** Postgres appends to its log for as long as it runs; with the one before it there is about twice as much. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Puts what is in the log aside where it has become too long. A server that runs writes on, for it only ever appends. */
export async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= MOST_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

/** Does so from time to time, one look after the other. */
export function keepLogShort(path: string, everyMs: number, log: Logger): NodeJS.Timeout {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await boundLog(path).catch((error: unknown) => {
      log.warn({ err: error }, 'the log of the embedded Postgres cannot be shortened');
    });
    isLooking = false;
  };
  return setInterval(() => void look(), everyMs).unref();
}
