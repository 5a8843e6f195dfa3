import { createHmac, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT, type JWK_EC_Private } from 'jose';
import type { Role } from '../../identity/caller.ts';
import type { ClaimNames } from '../../identity/claims.ts';
import { makeFolder } from '../../make-folder.ts';
import { readSystemErrorCode, isSystemError } from '../../system-error.ts';
import { dataDirError, openDataDir } from '../../data-dir.ts';

export const SIGNING_ALGORITHM = 'ES256';
export const EMBEDDED_AUDIENCE = 'taxclaims-api';

export type SigningKey = JWK_EC_Private & { readonly kid: string };

export interface TokenRequest {
  readonly subject: string;
  readonly role: Role;
  readonly clientAccess: readonly string[];
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** The lifetime of a token as a number with a unit, such as `30m`; the default is 12 hours. */
  readonly expiresIn?: string | undefined;
}

export type TokenSigner = Awaited<ReturnType<typeof openSigner>>;

export async function openSigner(dataDir: string, issuer: string, names: Omit<ClaimNames, 'subject'>) {
  const key = await openSigningKey(dataDir);
  const imported = await importJWK({ ...key }, SIGNING_ALGORITHM);
  return {
    issuer,
    audience: EMBEDDED_AUDIENCE,
    sign: ({ subject, role, clientAccess, email, name, expiresIn = '12h' }: TokenRequest): Promise<string> =>
      new SignJWT({
        email,
        ...(email && { email_verified: true }),
        name,
        [names.role]: role,
        [names.clientAccess]: [...clientAccess],
      })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'JWT', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(EMBEDDED_AUDIENCE)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime(expiresIn)
        .sign(imported),
  };
}

export async function openSigningKey(dataDir: string): Promise<SigningKey> {
  const keyFile = join(dataDir, 'identity', 'signing-key.json');
  try {
    const text = await readFile(keyFile, 'utf8').catch(ignoreMissingFile);
    if (text !== undefined) return parseSigningKey(text, keyFile);
    await openDataDir(dataDir);
    await openIdentityFolder(dataDir);
    const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(privateKey);
    await writeFileIfAbsent(keyFile, JSON.stringify({ ...jwk, kid: await calculateJwkThumbprint(jwk) }));
  } catch (error) {
    throw isSystemError(error) ? dataDirError(dataDir, error) : error;
  }
  return openSigningKey(dataDir);
}

export function deriveSecret(purpose: string, { d }: SigningKey): string {
  return createHmac('sha256', d).update(purpose).digest('base64url');
}

/** Creates the key's folder with mode 0700, so that the user of the embedded Postgres cannot read the signing key. */
export async function openIdentityFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'identity');
  await makeFolder(folder, 0o700);
  return folder;
}

/** Writes a complete file that only its owner can read; an existing file stays unchanged. */
export async function writeFileIfAbsent(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { flag: 'wx', flush: true, mode: 0o600 });
    // Unlike `rename`, `link` never replaces an existing file.
    await link(draft, file).catch((error: unknown) => {
      if (readSystemErrorCode(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
}

export function ignoreMissingFile(error: unknown): undefined {
  if (readSystemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

function parseSigningKey(text: string, file: string): SigningKey {
  try {
    const { kty, crv, x, y, d, kid } = JSON.parse(text) as SigningKey;
    if (kty === 'EC' && [crv, x, y, d, kid].every((member) => typeof member === 'string'))
      return { kty, crv, x, y, d, kid };
  } catch {
    // A key file that is not JSON gets the same error as a file without a key.
  }
  throw new Error(
    `${file} holds no signing key; if you delete it, the next start creates a new key, and all tokens become invalid`,
  );
}
