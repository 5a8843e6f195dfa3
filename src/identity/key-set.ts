import { createLocalJWKSet, type CryptoKey, type JSONWebKeySet, type JWK, type LocalJWKSet } from 'jose';
import type { Logger } from 'pino';
import { RequestError } from '../errors.ts';
import type { MeasuredInterval } from '../observed.ts';
import { readBoundedText } from './bounded-fetch.ts';
import { SIGNATURE_ALGORITHMS } from './signature.ts';
import { createCachedFunction } from '../retries.ts';
import {
  MIN_RSA_KEY_BITS,
  MAX_KEY_SET_BYTES,
  KEY_SET_REFRESH_MS,
  MISSING_KEY_SET_RETRY_MS,
  PROVIDER_RESPONSE_TIMEOUT_MS,
  PROVIDER_RETRY_MS,
} from '../limits.ts';

export interface KeySetOptions {
  /** Returns the address of the keys, or rejects while the provider does not tell it. */
  readonly findUrl: () => Promise<string>;
  readonly log: Logger;
  readonly fetchTimeoutMs?: number;
  readonly onFetched?: ((fetch: MeasuredInterval) => void) | undefined;
  readonly now?: () => number;
}

/** Fetches the identity provider's public keys on first use; the keys stay valid while the provider is unreachable. */
export function createKeySet(options: KeySetOptions) {
  const { findUrl, log, fetchTimeoutMs = PROVIDER_RESPONSE_TIMEOUT_MS, now = Date.now, onFetched } = options;
  let known: PublishedKeys | undefined;
  let fetchedAt = -Infinity;
  let attemptedAt = -Infinity;
  let searchedAt = -Infinity;
  let isRefreshing = false;
  let fetches = 0;
  let failures = 0;

  const refresh = createCachedFunction(async () => {
    isRefreshing = true;
    const begunMs = performance.now();
    let isFailed = false;
    let url: string | undefined;
    fetches += 1;
    try {
      url = await findUrl();
      const fetched = await fetchKeys(url, fetchTimeoutMs);
      fetchedAt = now();
      if (fetched.fingerprint === known?.fingerprint) return;
      known = fetched;
      log.info({ url, keys: fetched.keys.jwks().keys.length }, 'the identity provider published new keys');
    } catch (err) {
      isFailed = true;
      failures += 1;
      log.warn({ err, url }, 'the identity provider’s keys could not be read; the known keys stay valid');
    } finally {
      attemptedAt = now();
      isRefreshing = false;
      onFetched?.({ begunMs, endedMs: performance.now(), isFailed });
    }
  });

  /** Returns the cached keys without a fetch; undefined if there are none or they are too old. */
  function freshKeys(): LocalJWKSet | undefined {
    return now() - fetchedAt > KEY_SET_REFRESH_MS ? undefined : known?.keys;
  }

  /** Returns the same key set until the provider publishes other keys. @throws RequestError ERROR_UNAVAILABLE */
  async function current(): Promise<LocalJWKSet> {
    const sinceMs = now() - attemptedAt;
    // If the last fetch is long ago, the provider may have withdrawn a key, so the caller waits for a new fetch.
    const isStale = sinceMs > 2 * KEY_SET_REFRESH_MS;
    if (isStale || (known === undefined && sinceMs > MISSING_KEY_SET_RETRY_MS)) await refresh();
    else if (now() - fetchedAt > KEY_SET_REFRESH_MS && sinceMs > PROVIDER_RETRY_MS) void refresh();
    if (known !== undefined) return known.keys;
    throw new RequestError('ERROR_UNAVAILABLE', "the identity provider's keys were never obtained", {
      kind: 'provider',
      headers: { 'Retry-After': '5' },
    });
  }

  /**
   * Fetches the keys again after no key in `tried` verified a token. Returns `tried` if the provider has no new
   * keys.
   */
  async function searchNewKeys(tried: LocalJWKSet): Promise<LocalJWKSet> {
    if (known === undefined || known.keys !== tried) return current();
    if (!isRefreshing && now() - searchedAt < PROVIDER_RETRY_MS) return tried;
    searchedAt = now();
    await refresh();
    // After a search that found new keys, the next search need not wait: the keys may soon be rotated again.
    if (known.keys !== tried) searchedAt = -Infinity;
    return known.keys;
  }

  return {
    current,
    freshKeys,
    searchNewKeys,
    figures: () => ({ ageMs: known === undefined ? undefined : now() - fetchedAt, fetches, failures }),
  };
}

const JWK_MEMBER_NAMES = ['kid', 'kty', 'alg', 'use', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

export type KeySet = ReturnType<typeof createKeySet>;

interface PublishedKeys {
  readonly keys: LocalJWKSet;
  readonly fingerprint: string;
}

/** Fetches the keys and drops unusable ones (RFC 7517, 5). @throws Error if no key is usable */
async function fetchKeys(url: string, timeoutMs: number): Promise<PublishedKeys> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the key set's address answered ${response.status}`);
  }
  const { keys: published } = JSON.parse(
    await readBoundedText(response, MAX_KEY_SET_BYTES, 'the key set'),
  ) as Partial<JSONWebKeySet>;
  if (!Array.isArray(published)) throw new Error('the key set has no list of keys');
  const usable: JWK[] = [];
  for (const key of published) if (await isUsableKey(key)) usable.push(key);
  // A key set without a usable key is a fault of the provider, so the keys fetched before stay valid.
  if (usable.length === 0) throw new Error('the key set holds no key that verifies a token');
  const keys = createLocalJWKSet({ keys: usable });
  return { keys, fingerprint: fingerprintOf(keys.jwks()) };
}

async function isUsableKey(jwk: unknown): Promise<boolean> {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return false;
  const keySet = createLocalJWKSet({ keys: [jwk] });
  for (const alg of SIGNATURE_ALGORITHMS) {
    const key = await keySet({ alg }).catch(() => undefined);
    if (key !== undefined) return isKeyLongEnough(key);
  }
  return false;
}

function isKeyLongEnough({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= MIN_RSA_KEY_BITS;
}

function fingerprintOf({ keys }: JSONWebKeySet): string {
  const texts = keys.map((key) => JSON.stringify(JWK_MEMBER_NAMES.map((member) => key[member])));
  return texts.sort().join('\n');
}
