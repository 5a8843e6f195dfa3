import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import type { Logger } from 'pino';
import { createBoundedFetch } from './bounded-fetch.ts';
import {
  MAX_DISCOVERY_BYTES,
  DISCOVERY_REFRESH_MS,
  PROVIDER_RESPONSE_TIMEOUT_MS,
  PROVIDER_RETRY_MS,
} from '../limits.ts';
import { createCachedFunction } from '../retries.ts';
import { isLoopback } from './loopback.ts';

interface LoginMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly end_session_endpoint?: string;
}

export type LoginDiscovery = ReturnType<typeof createLoginDiscovery>;

/** Matches host names, without characters such as `*` and `;` that mean something in a content security policy. */
const URL_HOST_PATTERN = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/;

export function createLoginDiscovery({
  issuer,
  log,
  timeoutMs = PROVIDER_RESPONSE_TIMEOUT_MS,
  now = () => performance.now(),
}: {
  readonly issuer: string;
  readonly log: Logger;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}) {
  let metadata: LoginMetadata | undefined;
  let nextReadAt = -Infinity;

  const refresh = createCachedFunction(async () => {
    try {
      metadata = await readMetadata(issuer, timeoutMs);
      nextReadAt = now() + DISCOVERY_REFRESH_MS;
    } catch (err) {
      metadata = undefined;
      nextReadAt = now() + PROVIDER_RETRY_MS;
      log.warn({ err, issuer }, 'nobody can log in at /docs: the discovery of the identity provider cannot be read');
    }
  });

  return {
    /** Returns undefined while the provider gives no usable discovery document. Never rejects. */
    async currentMetadata(): Promise<LoginMetadata | undefined> {
      if (now() >= nextReadAt) await refresh();
      return metadata;
    },
  };
}

/**
 * Returns a function that finds the address of the provider's keys: `jwksUrl`, or what the discovery of the issuer says,
 * which is kept for DISCOVERY_REFRESH_MS. An issuer without discovery (404) has its keys at `/.well-known/jwks.json`.
 * The function throws an Error if the discovery cannot be read or is unusable.
 */
export function createKeySetUrlFinder({
  issuer,
  jwksUrl,
}: {
  readonly issuer: string;
  readonly jwksUrl?: string | undefined;
}): () => Promise<string> {
  if (jwksUrl !== undefined) return () => Promise.resolve(jwksUrl);
  return createCachedFunction(() => readKeySetUrl(issuer), DISCOVERY_REFRESH_MS, 0);
}

async function readKeySetUrl(issuer: string): Promise<string> {
  const issuerUrl = new URL(issuer);
  const response = await requestDiscovery(issuerUrl, PROVIDER_RESPONSE_TIMEOUT_MS);
  if (response.status === 404) return `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`;
  const { jwks_uri: address } = await processDiscoveryResponse(issuerUrl, response);
  const url = typeof address === 'string' ? URL.parse(address) : null;
  // Over plain HTTP the keys could be an attacker's, so the keys of an https:// issuer are fetched over HTTPS.
  if (url?.protocol !== 'https:' && (url?.protocol !== 'http:' || issuerUrl.protocol !== 'http:'))
    throw new Error(`the jwks_uri of the discovery is no ${issuerUrl.protocol}// address; AUTH_JWKS_URL may name one`);
  return url.href;
}

function requestDiscovery(issuer: URL, timeoutMs: number): Promise<Response> {
  return discoveryRequest(issuer, {
    [customFetch]: createBoundedFetch(MAX_DISCOVERY_BYTES, timeoutMs),
    [allowInsecureRequests]: true,
  });
}

/** @throws Error if the discovery document is of another issuer or has an unsafe address for a browser */
async function readMetadata(issuer: string, timeoutMs: number): Promise<LoginMetadata> {
  const issuerUrl = new URL(issuer);
  // Plain HTTP is safe only on this machine; on a network an attacker could answer instead of the provider.
  const isLocal = issuerUrl.protocol === 'http:' && isLoopback(issuerUrl.hostname);
  if (!isLocal && issuerUrl.protocol !== 'https:') throw new Error('the issuer is not https://');
  const response = await requestDiscovery(issuerUrl, timeoutMs);
  const server = await processDiscoveryResponse(issuerUrl, response);
  const findUrl = (name: keyof LoginMetadata): string | undefined => {
    const endpoint: unknown = server[name];
    const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
    const isLocalUrl = isLocal && url?.protocol === 'http:' && isLoopback(url.hostname);
    return (isLocalUrl || url?.protocol === 'https:') && URL_HOST_PATTERN.test(url.hostname) ? url.href : undefined;
  };
  const requireUrl = (name: keyof LoginMetadata): string => {
    const url = findUrl(name);
    if (url === undefined) throw new Error(`its ${name} is not an address to send a browser to`);
    return url;
  };
  const logoutUrl = findUrl('end_session_endpoint');
  return {
    issuer: server.issuer,
    authorization_endpoint: requireUrl('authorization_endpoint'),
    token_endpoint: requireUrl('token_endpoint'),
    ...(logoutUrl !== undefined && { end_session_endpoint: logoutUrl }),
  };
}
