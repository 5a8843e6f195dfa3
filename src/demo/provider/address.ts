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
  configuredPort: number | undefined,
  listen?: (port: number) => Promise<number>,
): Promise<string> {
  const portFile = join(await openIdentityFolder(dataDir), 'port');
  const portText = await readFile(portFile, 'utf8').catch(ignoreMissingFile);
  const previousPort = portText !== undefined && /^[1-9]\d{0,4}\s*$/.test(portText) ? Number(portText) : undefined;
  const requestedPort = configuredPort ?? previousPort ?? PREFERRED_PORT;
  const choosePortWithoutListening = async (): Promise<number> =>
    configuredPort || (previousPort ?? findFreePort(PREFERRED_PORT));
  const port = await (listen?.(requestedPort) ?? choosePortWithoutListening()).catch((error: unknown) => {
    const portErrorCodeText = readSystemErrorCode(error) ?? String(error);
    if (listen !== undefined && portErrorCodeText === 'EADDRINUSE' && (configuredPort ?? previousPort) === undefined)
      return listen(0);
    const portOriginNote = configuredPort === undefined ? ', as before' : '';
    throw new Error(`IDENTITY_PORT ${requestedPort}${portOriginNote} cannot be listened on: ${portErrorCodeText}`, {
      cause: error,
    });
  });
  if (port !== previousPort) await writeFile(portFile, `${port}\n`, { mode: 0o600 });
  return `http://127.0.0.1:${port}`;
}
