import { link, open, readFile, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK_EC_Private } from 'jose';
import { makeFolder } from '../make-folder.ts';
import { codeOf, isOfTheSystem } from '../system-error.ts';
import { dataDirError, openDataDir } from './data-dir.ts';

export const SIGNING_ALGORITHM = 'ES256';

export interface SigningKey extends JWK_EC_Private {
  readonly kid: string;
}

/**
 * Gives the embedded provider's private key, made on first use and kept in `identity/signing-key.json`.
 * Whoever starts at the same time gets the same key.
 * @throws when the file cannot be written, read or understood
 */
export async function loadSigningKey(dataDir: string): Promise<SigningKey> {
  const file = join(dataDir, 'identity', 'signing-key.json');
  try {
    return (await readKey(file)) ?? (await createKey(dataDir, file));
  } catch (error) {
    throw isOfTheSystem(error) ? dataDirError(dataDir, error) : error;
  }
}

async function createKey(dataDir: string, file: string): Promise<SigningKey> {
  // Only the inner folder is closed to others: the embedded server's own user passes through the outer one.
  await openDataDir(dataDir);
  await makeFolder(join(dataDir, 'identity'), 0o700);
  const aside = `${file}.${randomUUID()}`;
  try {
    await writeDurably(aside, JSON.stringify(await generateKey()));
    // Unlike a rename, a link never replaces the key that somebody else has just made, perhaps used.
    await link(aside, file).catch(ignoreExisting);
  } finally {
    await rm(aside, { force: true });
  }
  const key = await readKey(file);
  if (key === undefined) throw new Error(`${file} disappeared while it was being made`);
  return key;
}

async function generateKey(): Promise<object> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const key = await exportJWK(privateKey);
  return { ...key, kid: await calculateJwkThumbprint(key), alg: SIGNING_ALGORITHM, use: 'sig' };
}

async function writeDurably(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readKey(file: string): Promise<SigningKey | undefined> {
  const content = await readFile(file, 'utf8').catch(ignoreMissing);
  if (content === undefined) return undefined;
  const key = parse(content);
  if (isSigningKey(key)) return key;
  throw new Error(
    `${file} holds no signing key; delete it to have a new one made, which ends all tokens issued`,
  );
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function isSigningKey(value: unknown): value is SigningKey {
  if (typeof value !== 'object' || value === null) return false;
  const { kty, d, kid } = value as Partial<SigningKey>;
  return kty === 'EC' && typeof d === 'string' && typeof kid === 'string';
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

function ignoreExisting(error: unknown): undefined {
  if (codeOf(error) !== 'EEXIST') throw error;
  return undefined;
}
