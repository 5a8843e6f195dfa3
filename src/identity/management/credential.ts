import {
  allowInsecureRequests,
  clientCredentialsGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  processClientCredentialsResponse,
  processDiscoveryResponse,
} from 'oauth4webapi';
import type { ClientCredentials, ManagementConfig } from '../../config.ts';
import { createCachedFunction } from '../../retries.ts';
import { createBoundedFetch } from '../bounded-fetch.ts';
import { ManagementError } from './errors.ts';
import * as limit from '../../limits.ts';

export function createManagementCredential(config: ManagementConfig): ReturnType<typeof createOauthCredential> {
  if ('client' in config) return createOauthCredential(config.client);
  return { token: () => Promise.resolve(config.token), discard: () => false };
}

function createOauthCredential({ issuer, id, secret, audience }: ClientCredentials) {
  const url = new URL(issuer);
  const oauthClient = { client_id: id };
  let cachedAccessToken: { readonly token: string; readonly until: number } | undefined;

  const fetchCredential = createCachedFunction(async () => {
    const oauthRequestOptions = {
      [customFetch]: createBoundedFetch(limit.TOKEN_ENDPOINT_RESPONSE_BYTES, limit.PROVIDER_RESPONSE_TIMEOUT_MS),
      [allowInsecureRequests]: url.protocol === 'http:',
    };
    try {
      const authorizationServer = await processDiscoveryResponse(url, await discoveryRequest(url, oauthRequestOptions));
      // Without `token_endpoint_auth_methods_supported`, RFC 8414 prescribes client_secret_basic.
      const { token_endpoint_auth_methods_supported: methods } = authorizationServer;
      const supportsBasicAuth = methods?.includes('client_secret_basic') ?? true;
      const grantParameters: Record<string, string> = audience === undefined ? {} : { audience };
      const response = await clientCredentialsGrantRequest(
        authorizationServer,
        oauthClient,
        supportsBasicAuth ? ClientSecretBasic(secret) : ClientSecretPost(secret),
        grantParameters,
        oauthRequestOptions,
      );
      const tokenReceivedMs = performance.now();
      const tokenResponse = await processClientCredentialsResponse(authorizationServer, oauthClient, response);
      const tokenLifetimeMs = (tokenResponse.expires_in ?? limit.DEFAULT_MANAGEMENT_TOKEN_LIFETIME_S) * 1_000;
      cachedAccessToken = {
        token: tokenResponse.access_token,
        until:
          tokenReceivedMs + Math.max(tokenLifetimeMs - limit.MANAGEMENT_TOKEN_RENEWAL_MARGIN_MS, tokenLifetimeMs / 2),
      };
      return cachedAccessToken.token;
    } catch (error) {
      throw createCredentialError(error);
    }
  });

  return {
    token: async (): Promise<string> =>
      cachedAccessToken !== undefined && performance.now() < cachedAccessToken.until
        ? cachedAccessToken.token
        : fetchCredential(),
    /** Forgets a token that the provider refused. The result true means that the service can fetch a new token. */
    discard(refusedToken: string): boolean {
      if (cachedAccessToken?.token === refusedToken) cachedAccessToken = undefined;
      return true;
    },
  };
}

/** An OAuth error (RFC 6749, 5.2) means a refused credential; any other error means an unreachable provider. */
function createCredentialError(cause: unknown): ManagementError {
  const oauthError = cause instanceof Error && 'error' in cause ? cause.error : undefined;
  if (typeof oauthError === 'string' && /^[\w.-]{1,60}$/.test(oauthError)) {
    return new ManagementError('credential', `the token endpoint answered ${oauthError}`, { cause });
  }
  return new ManagementError('away', 'the token endpoint gave no token', { cause });
}
