import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** A certified OpenID provider of another maker, whose login page has only one button. */
interface ForeignProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The additional claims of all tokens that the identity provider issues from now on. */
  claims: Readonly<Record<string, unknown>>;
  /** The test’s identity provider logs this user in at every later login. The value is the user’s subject. */
  subject: string;
  /** The lifetime in seconds of the access tokens that the test’s identity provider issues. */
  lifetime: number;
  /**
   * If a test sets this handler, the handler answers requests for the discovery document in place of the identity
   * provider.
   */
  discovery: RequestListener | undefined;
  /** The number of requests that the identity provider has got for its discovery document. */
  discoveries: number;
  /** Registers a public OAuth client with the given redirect URI at the identity provider. */
  allow(clientId: string, redirectUri: string): Promise<void>;
  close(): Promise<void>;
}

const DISCOVERY = '/.well-known/openid-configuration';
const RESOURCE = 'https://api.example.com';
const PAGE = '<!doctype html><html lang="en"><title>Elsewhere</title><link rel="icon" href="data:,">';

/** Starts the provider, and silences its warnings of every default that production should change. */
export async function startForeignProvider(): Promise<ForeignProvider> {
  const silenced = (['info', 'warn'] as const).map((method) => jest.spyOn(console, method).mockReturnValue());
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] };

  const foreign: ForeignProvider = {
    ...{ issuer, audience: RESOURCE, jwksUrl: `${issuer}/jwks` },
    ...{ claims: {}, subject: 'foreign|marc', lifetime: 600 },
    ...{ discovery: undefined, discoveries: 0 },
    allow: (clientId, redirectUri) => {
      const provider = new Provider(issuer, {
        ...{ jwks, ...configurationOf(foreign) },
        clients: [
          {
            ...{ client_id: clientId, token_endpoint_auth_method: 'none' },
            ...{ redirect_uris: [redirectUri], post_logout_redirect_uris: [redirectUri] },
            grant_types: ['authorization_code', 'refresh_token'],
          },
        ],
      });
      const handle = provider.callback();
      server.removeAllListeners('request').on('request', (request, response) => {
        const isDiscovery = request.url === DISCOVERY;
        if (isDiscovery) foreign.discoveries += 1;
        if (isDiscovery && foreign.discovery !== undefined) foreign.discovery(request, response);
        else if (request.url?.startsWith('/interaction/')) void interact(provider, foreign, request, response);
        else void handle(request, isDiscovery ? withoutCors(response) : response);
      });
      return Promise.resolve();
    },
    close: () =>
      new Promise((resolve) => {
        for (const one of silenced) one.mockRestore();
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return foreign;
}

/** Removes the CORS headers of a response, because a provider need not let other sites read its discovery document. */
function withoutCors(response: ServerResponse): ServerResponse {
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : set(name, value));
  return response;
}

function configurationOf(foreign: ForeignProvider): Readonly<Record<string, unknown>> {
  return {
    clientBasedCORS: () => true,
    extraTokenClaims: () => foreign.claims,
    issueRefreshToken: () => true,
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: 'claims', audience: RESOURCE, accessTokenTTL: foreign.lifetime },
          ...{ accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } },
        }),
      },
      rpInitiatedLogout: {
        logoutSource: (context: { body: string }, form: string) => {
          context.body = `${PAGE}${form}<button form="op.logoutForm" name="logout" value="yes">Leave</button>`;
        },
      },
    },
  };
}

/** Serves the provider’s login page, whose button logs in `subject` without a password. */
async function interact(
  provider: Provider,
  { subject }: ForeignProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login' && request.method === 'GET') {
    response.setHeader('Content-Type', 'text/html').end(`${PAGE}<form method="post"><button>Enter</button></form>`);
    return;
  }
  const grant = new provider.Grant({ clientId: String(params['client_id']), accountId: subject });
  grant.addOIDCScope(String(params['scope']));
  grant.addResourceScope(RESOURCE, 'claims');
  const result = { login: { accountId: subject }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
