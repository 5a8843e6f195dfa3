import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../system-error.ts';
import { freePort } from '../postgres/free-port.ts';
import { identityFolder, ignoreMissing } from './key.ts';

const PREFERRED_PORT = 3001;

/**
 * The issuer of the provider of this folder: where IDENTITY_PORT says, or where it was before; the first time on a free
 * port where the preferred one is taken. The port is kept for the next start, and for tokens that are signed beside it.
 * @param listen absent for a token that is signed beside the provider, whether it runs or not
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
    const reason = codeOf(error) ?? String(error);
    if (listen !== undefined && reason === 'EADDRINUSE' && (wanted ?? kept) === undefined) return listen(0);
    const whence = wanted === undefined ? ', as before' : '';
    throw new Error(`IDENTITY_PORT ${asked}${whence} cannot be listened on: ${reason}`, { cause: error });
  });
  if (port !== kept) await writeFile(file, `${port}\n`, { mode: 0o600 });
  return `http://127.0.0.1:${port}`;
}
