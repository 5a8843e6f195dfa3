import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSystemErrorCode } from '../../system-error.ts';
import { findFreePort } from '../postgres/free-port.ts';
import { openIdentityFolder, ignoreMissingFile } from './key.ts';

const PREFERRED_PORT = 3001;

/**
 * Returns the embedded identity provider's address. The port is IDENTITY_PORT, else the port of the last start, else
 * 3001, else a free port. Stores the port in a file for the next start.
 * @param listen absent for `npm run token`, which signs tokens whether the provider runs or not
 * @throws Error in one line that names IDENTITY_PORT
 */
export async function chooseIssuerUrl(
  dataDir: string,
  configured: number | undefined,
  listen?: (port: number) => Promise<number>,
): Promise<string> {
  const portFile = join(await openIdentityFolder(dataDir), 'port');
  const text = await readFile(portFile, 'utf8').catch(ignoreMissingFile);
  const previous = text !== undefined && /^[1-9]\d{0,4}\s*$/.test(text) ? Number(text) : undefined;
  const requested = configured ?? previous ?? PREFERRED_PORT;
  const choose = async (): Promise<number> => configured || (previous ?? findFreePort(PREFERRED_PORT));
  const port = await (listen?.(requested) ?? choose()).catch((cause: unknown) => {
    const reason = readSystemErrorCode(cause) ?? String(cause);
    if (listen !== undefined && reason === 'EADDRINUSE' && (configured ?? previous) === undefined) return listen(0);
    const origin = configured === undefined ? ', as before' : '';
    throw new Error(`IDENTITY_PORT ${requested}${origin} cannot be listened on: ${reason}`, { cause });
  });
  if (port !== previous) await writeFile(portFile, `${port}\n`, { mode: 0o600 });
  return `http://127.0.0.1:${port}`;
}
