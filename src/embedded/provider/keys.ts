import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK, JWK_EC_Private } from 'jose';
import { makeFolder } from '../../make-folder.ts';
import { codeOf, isOfTheSystem } from '../../system-error.ts';
import { dataDirError, openDataDir } from '../data-dir.ts';

export const SIGNING_ALGORITHM = 'ES256';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a key is published before it signs: whoever verifies asks for the keys more often than that. */
export const AHEAD_MS = HOUR_MS;
/** How long a key signs before another is made. */
export const SIGNS_MS = 90 * DAY_MS;
/** How long a key is published after it signed last: as long as the longest token is good. */
export const LONGEST_TOKEN_MS = 90 * DAY_MS;

const FIRST_FILE = 'signing-key.json';
const FILES = /^signing-key(?:-[\w-]+)?\.json$/;

export interface SigningKey extends JWK_EC_Private {
  readonly kid: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

/** What is to be done with which key follows from their ages alone: nothing that a crash could leave half done. */
export interface KeyRing {
  readonly signing: SigningKey;
  /** Those that verify what is still good, and the one that signs next; the one that signs comes first. */
  readonly published: readonly SigningKey[];
}

/**
 * Reads the private keys of the embedded provider below `identity`; makes the first where there is none. Whoever starts
 * at the same time gets the same.
 * @throws when a file cannot be written, read or understood
 */
export async function openKeyRing(dataDir: string, now = Date.now()): Promise<KeyRing> {
  return inFolder(dataDir, async (folder) => {
    let keys = await readKeys(folder);
    if (keys.length === 0) {
      await openDataDir(dataDir);
      await addKey(folder, now, () => FIRST_FILE);
      keys = await readKeys(folder);
    }
    return ringOf(keys, now);
  });
}

/** Makes a new key, which is published from now on and signs an hour later; those of which the time is over go. */
export async function rotateKeys(dataDir: string, now = Date.now()): Promise<SigningKey> {
  await openKeyRing(dataDir, now);
  return inFolder(dataDir, async (folder) => {
    const made = await addKey(folder, now, ({ kid }) => `signing-key-${kid}.json`);
    await removeOver(folder, now);
    return made;
  });
}

/** Does that where the newest key is older than 90 days; gives the key that was made. */
export async function rotateOldKeys(dataDir: string, now = Date.now()): Promise<SigningKey | undefined> {
  await openKeyRing(dataDir, now);
  const newest = await inFolder(dataDir, async (folder) => (await readKeys(folder)).at(-1));
  return newest !== undefined && newest.madeAt + SIGNS_MS <= now ? rotateKeys(dataDir, now) : undefined;
}

/** The half that everybody may know. */
export function publicHalf({ crv, x, y, kid }: SigningKey): JWK {
  return { kty: 'EC', crv, x, y, kid, alg: SIGNING_ALGORITHM, use: 'sig' };
}

/** Only the inner folder is closed to others: the embedded server's own user passes through the outer one. */
export async function identityFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'identity');
  await makeFolder(folder, 0o700);
  return folder;
}

/** Writes a file of the owner's alone, whole or not at all, unless there is one already; that one stays. */
export async function writeOnce(file: string, content: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await writeDurably(aside, content);
    // Unlike a rename, a link never replaces what somebody else has just made, perhaps used.
    await link(aside, file).catch(ignoreExisting);
  } finally {
    await rm(aside, { force: true });
  }
}

export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
  return undefined;
}

function ringOf(keys: readonly SigningKey[], now: number): KeyRing {
  const oldest = keys[0];
  if (oldest === undefined) throw new Error('the signing key disappeared while it was being made');
  const signing = keys.findLast(({ madeAt }) => madeAt + AHEAD_MS <= now) ?? oldest;
  const others = keys.filter((key) => key !== signing && !isOver(keys, key, now));
  return { signing, published: [signing, ...others] };
}

/** Whether the last token that a key has signed is over: some time after the next key began to sign. */
function isOver(keys: readonly SigningKey[], key: SigningKey, now: number): boolean {
  const next = keys[keys.indexOf(key) + 1];
  return next !== undefined && next.madeAt + AHEAD_MS + LONGEST_TOKEN_MS < now;
}

async function inFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  try {
    return await work(join(dataDir, 'identity'));
  } catch (error) {
    throw isOfTheSystem(error) ? dataDirError(dataDir, error) : error;
  }
}

async function addKey(folder: string, now: number, name: (key: SigningKey) => string): Promise<SigningKey> {
  await makeFolder(folder, 0o700);
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = (await exportJWK(privateKey)) as JWK_EC_Private;
  const kid = await calculateJwkThumbprint(jwk);
  const key = { ...jwk, kid, alg: SIGNING_ALGORITHM, use: 'sig', madeAt: now };
  await writeOnce(join(folder, name(key)), JSON.stringify(key));
  return key;
}

async function removeOver(folder: string, now: number): Promise<void> {
  const files = await keyFiles(folder);
  const keys = await readKeys(folder);
  for (const file of files) {
    const key = await readKey(join(folder, file));
    const same = keys.find(({ kid }) => kid === key?.kid);
    if (same !== undefined && isOver(keys, same, now)) await rm(join(folder, file), { force: true });
  }
}

/** The oldest first. */
async function readKeys(folder: string): Promise<readonly SigningKey[]> {
  const keys = [];
  for (const file of await keyFiles(folder)) {
    const key = await readKey(join(folder, file));
    if (key !== undefined) keys.push(key);
  }
  return keys.sort((a, b) => a.madeAt - b.madeAt || a.kid.localeCompare(b.kid));
}

async function keyFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  return names.filter((name) => FILES.test(name)).sort();
}

async function readKey(file: string): Promise<SigningKey | undefined> {
  const content = await readFile(file, 'utf8').catch(ignoreMissing);
  if (content === undefined) return undefined;
  const key = parse(content);
  // The release before wrote no date into its one key.
  if (isSigningKey(key)) return { ...key, madeAt: key.madeAt ?? Math.floor((await stat(file)).mtimeMs) };
  throw new Error(
    `${file} holds no signing key; delete it to have a new one made, which ends all tokens issued with it`,
  );
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

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function isSigningKey(value: unknown): value is Omit<SigningKey, 'madeAt'> & { readonly madeAt?: number } {
  if (typeof value !== 'object' || value === null) return false;
  const { kty, d, kid, madeAt = 0 } = value as Partial<SigningKey>;
  return kty === 'EC' && typeof d === 'string' && typeof kid === 'string' && typeof madeAt === 'number';
}

function ignoreExisting(error: unknown): undefined {
  if (codeOf(error) !== 'EEXIST') throw error;
  return undefined;
}
