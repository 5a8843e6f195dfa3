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
import type { AuthorizationServer } from 'oauth4webapi';
import type { ClientCredentials, ManagementConfig } from '../../config.ts';
import { askedOnce } from '../../retries.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { ManagementError } from './errors.ts';
import * as limit from '../../limits.ts';

/** What the provider knows us by. */
export interface Credential {
  token(): Promise<string>;
  /** The provider refuses that token; false where there is no other to be had. */
  renew(refused: string): boolean;
}

export function credentialOf(config: ManagementConfig): Credential {
  if ('client' in config) return clientCredentials(config.client);
  return { token: () => Promise.resolve(config.token), renew: () => false };
}

/** A token for as long as it lasts, from the token endpoint that the issuer's discovery names. */
function clientCredentials({ issuer, id, secret, audience }: ClientCredentials): Credential {
  const url = new URL(issuer);
  const client = { client_id: id };
  let known: { readonly token: string; readonly until: number } | undefined;

  const obtain = askedOnce(async () => {
    const options = {
      [customFetch]: boundedFetch({ maxBytes: limit.CREDENTIAL_BYTES, timeoutMs: limit.PROVIDER_ANSWER_MS }),
      [allowInsecureRequests]: url.protocol === 'http:',
    };
    try {
      const server = await processDiscoveryResponse(url, await discoveryRequest(url, options));
      const parameters: Record<string, string> = audience === undefined ? {} : { audience };
      const response = await clientCredentialsGrantRequest(
        server,
        client,
        takesBasic(server) ? ClientSecretBasic(secret) : ClientSecretPost(secret),
        parameters,
        options,
      );
      const begun = performance.now();
      const answer = await processClientCredentialsResponse(server, client, response);
      const lifeMs = (answer.expires_in ?? limit.CREDENTIAL_LIFE_S) * 1_000;
      known = {
        token: answer.access_token,
        until: begun + Math.max(lifeMs - limit.CREDENTIAL_EARLY_MS, lifeMs / 2),
      };
      return known.token;
    } catch (error) {
      throw troubleOf(error);
    }
  });

  return {
    token: async () => (known !== undefined && performance.now() < known.until ? known.token : obtain()),
    renew(refused) {
      if (known?.token === refused) known = undefined;
      return true;
    },
  };
}

/** RFC 8414: where a server does not say, it takes this one. */
function takesBasic({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): boolean {
  return methods?.includes('client_secret_basic') ?? true;
}

/** The server's own word on a client (RFC 6749, 5.2) is about our credential; whatever else happens, it is away. */
function troubleOf(cause: unknown): ManagementError {
  const said = cause instanceof Error && 'error' in cause ? cause.error : undefined;
  if (typeof said === 'string' && /^[\w.-]{1,60}$/.test(said)) {
    return new ManagementError('credential', `the token endpoint answered ${said}`, { cause });
  }
  return new ManagementError('away', 'the token endpoint gave no token', { cause });
}
