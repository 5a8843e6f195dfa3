import type { LocalJWKSet } from 'jose';
import type { Logger } from 'pino';
import { RequestError } from '../errors.ts';
import type { Stretch } from '../observed.ts';
import { fetchKeys } from './jwks.ts';
import type { PublishedKeys } from './jwks.ts';
import { askedOnce } from '../retries.ts';
import { KEYS_GOOD_MS, NO_KEYS_RETRY_MS, PROVIDER_ANSWER_MS, PROVIDER_RETRY_MS } from '../limits.ts';

export type KeySet = ReturnType<typeof createKeySet>;

export interface KeySetOptions {
  readonly url: string;
  readonly log: Logger;
  readonly fetchTimeoutMs?: number;
  readonly onFetched?: ((fetch: Stretch) => void) | undefined;
  readonly now?: () => number;
}

/** The provider's public keys. They stay valid while the provider is away; the first request fetches them. */
export function createKeySet(options: KeySetOptions) {
  const { url, log, fetchTimeoutMs = PROVIDER_ANSWER_MS, now = Date.now, onFetched } = options;
  let known: PublishedKeys | undefined;
  let obtainedAt = -Infinity;
  let attemptedAt = -Infinity;
  let soughtAt = -Infinity;
  let isRefreshing = false;
  let fetches = 0;
  let failures = 0;

  const refresh = askedOnce(async () => {
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

  /** The keys without waiting; undefined where they may have to be fetched. */
  function fresh(): LocalJWKSet | undefined {
    return now() - obtainedAt > KEYS_GOOD_MS ? undefined : known?.keys;
  }

  /** Unchanged keys stay the same object. @throws RequestError ERROR_UNAVAILABLE */
  async function current(): Promise<LocalJWKSet> {
    const silence = now() - attemptedAt;
    // After a long pause a key may have been withdrawn, so this request waits for the fetch.
    const untended = silence > 2 * KEYS_GOOD_MS;
    if (untended || (known === undefined && silence > NO_KEYS_RETRY_MS)) await refresh();
    else if (now() - obtainedAt > KEYS_GOOD_MS && silence > PROVIDER_RETRY_MS) void refresh();
    if (known !== undefined) return known.keys;
    throw new RequestError('ERROR_UNAVAILABLE', "the identity provider's keys were never obtained", {
      kind: 'provider',
      headers: { 'Retry-After': '5' },
    });
  }

  /** Fetches keys for a token whose key `tried` lacks; returns `tried` itself if nothing is new. */
  async function seek(tried: LocalJWKSet): Promise<LocalJWKSet> {
    if (known === undefined || known.keys !== tried) return current();
    if (!isRefreshing && now() - soughtAt < PROVIDER_RETRY_MS) return tried;
    soughtAt = now();
    await refresh();
    // Only a fetch without new keys starts the pause: the next rotation is found at once.
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
