import { createLocalJWKSet } from 'jose';
import type { JSONWebKeySet, LocalJWKSet } from 'jose';

const MAX_BYTES = 512 * 1024;
/** What makes two published keys the same key; order, comments and dates of a set do not. */
const MATERIAL = ['kid', 'kty', 'alg', 'use', 'key_ops', 'crv', 'x', 'y', 'n', 'e'] as const;

export interface PublishedKeys {
  readonly keys: LocalJWKSet;
  /** Equal for two answers that publish the same keys. */
  readonly fingerprint: string;
}

/**
 * Reads a JSON Web Key Set: no redirect, at most 512 KiB, within the time given.
 * @throws when the address does not answer 200 with a key set
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
  const keys = createLocalJWKSet(JSON.parse(await boundedText(response)) as JSONWebKeySet);
  return { keys, fingerprint: fingerprint(keys.jwks()) };
}

/** The length is counted as it arrives, after decompression: the header that announces it proves nothing. */
async function boundedText(response: Response): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`the key set is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function fingerprint({ keys }: JSONWebKeySet): string {
  const materials = keys.map((key) => JSON.stringify(MATERIAL.map((member) => key[member])));
  return materials.sort().join('\n');
}
