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

/** @throws Error if the discovery document is of another issuer or has an unsafe address for a browser */
async function readMetadata(issuer: string, timeoutMs: number): Promise<LoginMetadata> {
  const issuerUrl = new URL(issuer);
  // Plain HTTP is safe only on this machine; on a network an attacker could answer instead of the provider.
  const isLocal = issuerUrl.protocol === 'http:' && isLoopback(issuerUrl.hostname);
  if (!isLocal && issuerUrl.protocol !== 'https:') throw new Error('the issuer is not https://');
  const response = await discoveryRequest(issuerUrl, {
    [customFetch]: createBoundedFetch(MAX_DISCOVERY_BYTES, timeoutMs),
    [allowInsecureRequests]: true,
  });
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
