import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { codeOf } from '../../system-error.ts';
import { freePort } from '../postgres/free-port.ts';
import { identityFolder, ignoreMissing } from './keys.ts';

export const IDENTITY_HOST = '127.0.0.1';
export const PREFERRED_PORT = 3001;

/** What the configuration says of where the provider is. */
export interface AddressOptions {
  readonly dataDir: string;
  /** 0: any free one; undefined: the one that this folder keeps, 3001 at first. */
  readonly port: number | undefined;
  /** Where others reach it, through a proxy; undefined: only this machine does. */
  readonly issuer: string | undefined;
}

export function issuerAt(port: number, issuer: string | undefined): string {
  return issuer ?? `http://${IDENTITY_HOST}:${String(port)}`;
}

/** The issuer of the provider of this folder, whether it runs or not: for tokens that are signed beside it. */
export async function keptIssuer({ dataDir, port, issuer }: AddressOptions): Promise<string> {
  if (issuer !== undefined) return issuer;
  if (port !== undefined && port !== 0) return issuerAt(port, undefined);
  const kept = (await readPort(dataDir)) ?? (await freePort(PREFERRED_PORT));
  await keepPort(dataDir, kept);
  return issuerAt(kept, undefined);
}

/**
 * Listens where it is configured to, or where it did before; the first time of a folder on a free port where the
 * preferred one is taken. The port is kept for the next start.
 * @throws Error in one line that names IDENTITY_PORT
 */
export async function listenAt(
  listen: (port: number) => Promise<number>,
  { dataDir, port: wanted }: AddressOptions,
): Promise<number> {
  const kept = wanted === undefined ? await readPort(dataDir) : undefined;
  const asked = wanted ?? kept ?? PREFERRED_PORT;
  const port = await listen(asked).catch((error: unknown) => {
    if (wanted === undefined && kept === undefined && codeOf(error) === 'EADDRINUSE') return listen(0);
    const whence = wanted === undefined ? ', as before' : '';
    throw new Error(
      `IDENTITY_PORT ${String(asked)}${whence} cannot be listened on: ${codeOf(error) ?? String(error)}`,
      { cause: error },
    );
  });
  await keepPort(dataDir, port);
  return port;
}

async function readPort(dataDir: string): Promise<number | undefined> {
  const text = await readFile(portFile(dataDir), 'utf8').catch(ignoreMissing);
  return text !== undefined && /^[1-9]\d{0,4}\s*$/.test(text) ? Number(text) : undefined;
}

async function keepPort(dataDir: string, port: number): Promise<void> {
  if ((await readPort(dataDir)) === port) return;
  await identityFolder(dataDir);
  const aside = `${portFile(dataDir)}.${randomUUID()}`;
  try {
    await writeFile(aside, `${String(port)}\n`, { flush: true, mode: 0o600 });
    await rename(aside, portFile(dataDir));
  } finally {
    await rm(aside, { force: true });
  }
}

function portFile(dataDir: string): string {
  return join(dataDir, 'identity', 'port');
}
