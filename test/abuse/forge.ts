import { createPrivateKey, createPublicKey, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Parts = Readonly<Record<string, unknown>>;

export type Signing = (input: string) => Buffer;

/**
 * Makes valid tokens with the identity provider’s own key, and invalid tokens from any header, payload and signature.
 */
export interface Forge {
  readonly kid: string;
  /** The identity provider’s public key, which everybody can download. */
  readonly publicKey: KeyObject;
  readonly publicJwk: JsonWebKey;
  /** Private keys that the identity provider does not know, for tokens that the service must refuse. */
  readonly strange: KeyObject;
  readonly strangeRsa: KeyObject;
  /** Signs the header and the payload of a token with the identity provider’s own private key. */
  readonly ownSigning: Signing;
  readonly strangeSigning: Signing;
  /** Returns the claims of a valid token with the given changes. */
  readonly claims: (changes?: Parts) => Parts;
  readonly header: (changes?: Parts) => Parts;
  /**
   * Returns a token that the identity provider’s own key has signed, with the given changes to its claims and header.
   */
  readonly sign: (changes: Parts, header?: Parts) => string;
  /** Returns a token with the given header and payload, signed by the given function. */
  readonly raw: (header: unknown, payload: unknown, signing: Signing) => string;
}

export function base64url(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('base64url');
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Signs with ECDSA and SHA-256; the signature has the fixed length that JSON Web Tokens require. */
function ecdsa(key: KeyObject): Signing {
  return (input) => signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
}

export async function openForge(dataDir: string): Promise<Forge> {
  const text = await readFile(join(dataDir, 'identity', 'signing-key.json'), 'utf8');
  const port = (await readFile(join(dataDir, 'identity', 'port'), 'utf8')).trim();
  const { d, kid, kty, crv, x, y } = JSON.parse(text) as Record<string, string>;
  const publicJwk = { kty, crv, x, y } as JsonWebKey;
  const ownSigning = ecdsa(createPrivateKey({ key: { ...publicJwk, d } as JsonWebKey, format: 'jwk' }));
  const { privateKey: strange } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: strangeRsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);
  const claims: Forge['claims'] = (changes = {}) => ({
    ...{ iss: `http://127.0.0.1:${port}`, aud: 'taxclaims-api', iat: now, exp: now + 36_000 },
    ...{ sub: 'abuse|forged', role: 'ADMIN', client_access: [] },
    ...changes,
  });
  const header: Forge['header'] = (changes = {}) => ({ alg: 'ES256', typ: 'JWT', kid, ...changes });
  const raw: Forge['raw'] = (head, payload, signing) => {
    const input = `${base64url(head)}.${base64url(payload)}`;
    return `${input}.${base64url(signing(input))}`;
  };
  return {
    ...{ kid: String(kid), publicJwk, publicKey: createPublicKey({ key: publicJwk, format: 'jwk' }) },
    ...{ strange, strangeRsa, ownSigning, strangeSigning: ecdsa(strange), claims, header, raw },
    sign: (changes, head) => raw(header(head), claims(changes), ownSigning),
  };
}
