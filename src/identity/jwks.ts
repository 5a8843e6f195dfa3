import { createLocalJWKSet } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK, LocalJWKSet } from 'jose';
import { boundedText } from './bounded-text.ts';
import { KEYS_BYTES, KEY_BITS } from '../limits.ts';
import { ALGORITHMS } from './signature.ts';

/** What makes two published keys the same key; order, comments and dates of a set do not. */
const MATERIAL = ['kid', 'kty', 'alg', 'use', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

export interface PublishedKeys {
  /** The usable ones alone, at least one. */
  readonly keys: LocalJWKSet;
  /** Equal for two answers that publish the same keys. */
  readonly fingerprint: string;
}

/**
 * Reads a JSON Web Key Set: no redirect, at most 512 KiB, within the time given.
 * Keys that are of no use here are left out (RFC 7517, 5).
 * @throws when the address does not answer 200 with a key set that holds a usable key
 */
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
  // Who signs tokens has a key: a set without one is a fault of the provider, and not its word about older keys.
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
