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

export function createManagementCredential(config: ManagementConfig): ReturnType<typeof oauthCredential> {
  if ('client' in config) return oauthCredential(config.client);
  return { token: () => Promise.resolve(config.token), discard: () => false };
}

function oauthCredential({ issuer, id, secret, audience }: ClientCredentials) {
  const url = new URL(issuer);
  const client = { client_id: id };
  let cached: { readonly token: string; readonly until: number } | undefined;

  const fetchToken = createCachedFunction(async () => {
    const options = {
      [customFetch]: createBoundedFetch(limit.TOKEN_ENDPOINT_RESPONSE_BYTES, limit.PROVIDER_RESPONSE_TIMEOUT_MS),
      [allowInsecureRequests]: url.protocol === 'http:',
    };
    try {
      const server = await processDiscoveryResponse(url, await discoveryRequest(url, options));
      // Without `token_endpoint_auth_methods_supported`, RFC 8414 prescribes client_secret_basic.
      const { token_endpoint_auth_methods_supported: methods } = server;
      const isBasic = methods?.includes('client_secret_basic') ?? true;
      const response = await clientCredentialsGrantRequest(
        server,
        client,
        isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret),
        audience === undefined ? new URLSearchParams() : { audience },
        options,
      );
      const receivedMs = performance.now();
      const answer = await processClientCredentialsResponse(server, client, response);
      const lifetimeMs = (answer.expires_in ?? limit.DEFAULT_MANAGEMENT_TOKEN_LIFETIME_S) * 1_000;
      cached = {
        token: answer.access_token,
        until: receivedMs + Math.max(lifetimeMs - limit.MANAGEMENT_TOKEN_RENEWAL_MARGIN_MS, lifetimeMs / 2),
      };
      return cached.token;
    } catch (error) {
      throw credentialError(error);
    }
  });

  return {
    token: async (): Promise<string> =>
      cached !== undefined && performance.now() < cached.until ? cached.token : fetchToken(),
    /** Forgets a token that the provider refused. The result true means that the service can fetch a new token. */
    discard(refused: string): boolean {
      if (cached?.token === refused) cached = undefined;
      return true;
    },
  };
}

/** An OAuth error (RFC 6749, 5.2) means a refused credential; any other error means an unreachable provider. */
function credentialError(cause: unknown): ManagementError {
  const code = cause instanceof Error && 'error' in cause ? cause.error : undefined;
  if (typeof code === 'string' && /^[\w.-]{1,60}$/.test(code)) {
    return new ManagementError('credential', `the token endpoint answered ${code}`, { cause });
  }
  return new ManagementError('away', 'the token endpoint gave no token', { cause });
}
