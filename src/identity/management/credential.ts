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
import { cacheCalls } from '../../retries.ts';
import { createBoundedFetch } from '../bounded-fetch.ts';
import { ManagementError } from './errors.ts';
import * as limit from '../../limits.ts';

export function openCredential(config: ManagementConfig): ReturnType<typeof openClientCredentials> {
  if ('client' in config) return openClientCredentials(config.client);
  return { token: () => Promise.resolve(config.token), discard: () => false };
}

function openClientCredentials({ issuer, id, secret, audience }: ClientCredentials) {
  const url = new URL(issuer);
  const oauthClient = { client_id: id };
  let credential: { readonly token: string; readonly until: number } | undefined;

  const fetchCredential = cacheCalls(async () => {
    const oauthRequestOptions = {
      [customFetch]: createBoundedFetch(
        limit.TOKEN_ENDPOINT_RESPONSE_BYTES,
        limit.PROVIDER_RESPONSE_TIMEOUT_MS,
      ),
      [allowInsecureRequests]: url.protocol === 'http:',
    };
    try {
      const authorizationServer = await processDiscoveryResponse(
        url,
        await discoveryRequest(url, oauthRequestOptions),
      );
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
      const receivedMs = performance.now();
      const tokenAnswer = await processClientCredentialsResponse(authorizationServer, oauthClient, response);
      const lifetimeMs = (tokenAnswer.expires_in ?? limit.DEFAULT_MANAGEMENT_TOKEN_LIFETIME_S) * 1_000;
      credential = {
        token: tokenAnswer.access_token,
        until: receivedMs + Math.max(lifetimeMs - limit.MANAGEMENT_TOKEN_RENEWAL_MARGIN_MS, lifetimeMs / 2),
      };
      return credential.token;
    } catch (error) {
      throw credentialError(error);
    }
  });

  return {
    token: async (): Promise<string> =>
      credential !== undefined && performance.now() < credential.until ? credential.token : fetchCredential(),
    /** Forgets a token that the provider refused; returns true, because the service can fetch a new token. */
    discard(refusedToken: string): boolean {
      if (credential?.token === refusedToken) credential = undefined;
      return true;
    },
  };
}

/** An OAuth error (RFC 6749, 5.2) means a refused credential; any other error means an unreachable provider. */
function credentialError(cause: unknown): ManagementError {
  const oauthError = cause instanceof Error && 'error' in cause ? cause.error : undefined;
  if (typeof oauthError === 'string' && /^[\w.-]{1,60}$/.test(oauthError)) {
    return new ManagementError('credential', `the token endpoint answered ${oauthError}`, { cause });
  }
  return new ManagementError('away', 'the token endpoint gave no token', { cause });
}
