import { createLocalJWKSet } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK, LocalJWKSet } from 'jose';
import { boundedText } from './bounded-fetch.ts';
import { KEYS_BYTES, KEY_BITS } from '../limits.ts';
import { ALGORITHMS } from './signature.ts';

/** The members that identify a key; order, comments and dates of a set do not matter. */
const MATERIAL = ['kid', 'kty', 'alg', 'use', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

export interface PublishedKeys {
  readonly keys: LocalJWKSet;
  readonly fingerprint: string;
}

/** Leaves out unusable keys (RFC 7517, 5). @throws Error where no key is usable */
export async function fetchKeys(url: string, timeoutMs: number): Promise<PublishedKeys> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the key set's address answered ${response.status}`);
  }
  const all = createLocalJWKSet(
    JSON.parse(await boundedText(response, KEYS_BYTES, 'the key set')) as JSONWebKeySet,
  ).jwks();
  const usable: JWK[] = [];
  for (const key of all.keys) if (await isUsable(key)) usable.push(key);
  // A set without a key is a fault of the provider, and does not withdraw the older keys.
  if (usable.length === 0) throw new Error('the key set holds no key that verifies a token');
  const keys = createLocalJWKSet({ keys: usable });
  return { keys, fingerprint: fingerprint(keys.jwks()) };
}

async function isUsable(jwk: JWK): Promise<boolean> {
  const alone = createLocalJWKSet({ keys: [jwk] });
  for (const alg of ALGORITHMS) {
    const key = await alone({ alg }).catch(() => undefined);
    if (key !== undefined) return isLongEnough(key);
  }
  return false;
}

function isLongEnough({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= KEY_BITS;
}

function fingerprint({ keys }: JSONWebKeySet): string {
  const materials = keys.map((key) => JSON.stringify(MATERIAL.map((member) => key[member])));
  return materials.sort().join('\n');
}
