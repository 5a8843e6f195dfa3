import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../system-error.ts';
import { freePort } from '../postgres/free-port.ts';
import { identityFolder, ignoreMissing } from './key.ts';

const PREFERRED_PORT = 3001;

/**
 * Takes the port from IDENTITY_PORT, or the port of the last start, the usual port, or a free one; a file keeps the choice.
 * @param listen absent for `npm run token`, which signs tokens whether the provider runs or not
 * @throws Error in one line that names IDENTITY_PORT
 */
export async function issuerOf(
  dataDir: string,
  wanted: number | undefined,
  listen?: (port: number) => Promise<number>,
): Promise<string> {
  const file = join(await identityFolder(dataDir), 'port');
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  const kept = text !== undefined && /^[1-9]\d{0,4}\s*$/.test(text) ? Number(text) : undefined;
  const asked = wanted ?? kept ?? PREFERRED_PORT;
  const beside = async (): Promise<number> => wanted || (kept ?? freePort(PREFERRED_PORT));
  const port = await (listen?.(asked) ?? beside()).catch((error: unknown) => {
    const reason = systemErrorCode(error) ?? String(error);
    if (listen !== undefined && reason === 'EADDRINUSE' && (wanted ?? kept) === undefined) return listen(0);
    const whence = wanted === undefined ? ', as before' : '';
    throw new Error(`IDENTITY_PORT ${asked}${whence} cannot be listened on: ${reason}`, { cause: error });
  });
  if (port !== kept) await writeFile(file, `${port}\n`, { mode: 0o600 });
  return `http://127.0.0.1:${port}`;
}
