import { createLocalJWKSet, type CryptoKey, type JSONWebKeySet, type JWK, type LocalJWKSet } from 'jose';
import type { Logger } from 'pino';
import { RequestError } from '../errors.ts';
import type { MeasuredInterval } from '../observed.ts';
import { boundedText } from './bounded-fetch.ts';
import { ALGORITHMS } from './signature.ts';
import { cacheCalls } from '../retries.ts';
import {
  KEY_BITS,
  KEYS_BYTES,
  KEYS_GOOD_MS,
  NO_KEYS_RETRY_MS,
  PROVIDER_ANSWER_MS,
  PROVIDER_RETRY_MS,
} from '../limits.ts';

export interface KeySetOptions {
  readonly url: string;
  readonly log: Logger;
  readonly fetchTimeoutMs?: number;
  readonly onFetched?: ((fetch: MeasuredInterval) => void) | undefined;
  readonly now?: () => number;
}

/** The provider's public keys. The first request fetches them; they stay valid while the provider is out of reach. */
export function createKeySet(options: KeySetOptions) {
  const { url, log, fetchTimeoutMs = PROVIDER_ANSWER_MS, now = Date.now, onFetched } = options;
  let known: PublishedKeys | undefined;
  let obtainedAt = -Infinity;
  let attemptedAt = -Infinity;
  let soughtAt = -Infinity;
  let isRefreshing = false;
  let fetches = 0;
  let failures = 0;

  const refresh = cacheCalls(async () => {
    isRefreshing = true;
    const begunMs = performance.now();
    const failed = failures;
    fetches += 1;
    try {
      const published = await fetchKeys(url, fetchTimeoutMs);
      obtainedAt = now();
      if (published.fingerprint === known?.fingerprint) return;
      known = published;
      log.info({ url, keys: published.keys.jwks().keys.length }, 'the identity provider published new keys');
    } catch (err) {
      failures += 1;
      log.warn({ err, url }, 'the identity provider gave no keys; those known stay valid');
    } finally {
      attemptedAt = now();
      isRefreshing = false;
      onFetched?.({ begunMs, endedMs: performance.now(), isFailed: failures > failed });
    }
  });

  /** Returns the keys at once; undefined where they may have to be fetched. */
  function fresh(): LocalJWKSet | undefined {
    return now() - obtainedAt > KEYS_GOOD_MS ? undefined : known?.keys;
  }

  /** Returns the same object while the keys are the same. @throws RequestError ERROR_UNAVAILABLE */
  async function current(): Promise<LocalJWKSet> {
    const silence = now() - attemptedAt;
    // After a long pause the provider may have withdrawn a key, so this request waits for the fetch.
    const untended = silence > 2 * KEYS_GOOD_MS;
    if (untended || (known === undefined && silence > NO_KEYS_RETRY_MS)) await refresh();
    else if (now() - obtainedAt > KEYS_GOOD_MS && silence > PROVIDER_RETRY_MS) void refresh();
    if (known !== undefined) return known.keys;
    throw new RequestError('ERROR_UNAVAILABLE', "the identity provider's keys were never obtained", {
      kind: 'provider',
      headers: { 'Retry-After': '5' },
    });
  }

  /** Fetches keys for a token whose key is not in `tried`; returns `tried` itself if the keys are the same. */
  async function seek(tried: LocalJWKSet): Promise<LocalJWKSet> {
    if (known === undefined || known.keys !== tried) return current();
    if (!isRefreshing && now() - soughtAt < PROVIDER_RETRY_MS) return tried;
    soughtAt = now();
    await refresh();
    // Only a fetch without new keys starts the pause, so that the next rotation of keys is found at once.
    if (known.keys !== tried) soughtAt = -Infinity;
    return known.keys;
  }

  return {
    current,
    fresh,
    seek,
    figures: () => ({
      ageMs: known === undefined ? undefined : now() - obtainedAt,
      fetches,
      failures,
    }),
  };
}

const MATERIAL = ['kid', 'kty', 'alg', 'use', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

export type KeySet = ReturnType<typeof createKeySet>;

interface PublishedKeys {
  readonly keys: LocalJWKSet;
  readonly fingerprint: string;
}

/** Leaves out unusable keys (RFC 7517, 5). @throws Error where no key is usable */
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
  const all = createLocalJWKSet(
    JSON.parse(await boundedText(response, KEYS_BYTES, 'the key set')) as JSONWebKeySet,
  ).jwks();
  const usable: JWK[] = [];
  for (const key of all.keys) if (await isUsable(key)) usable.push(key);
  // A set without a usable key is a fault of the provider: the older keys stay valid.
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
