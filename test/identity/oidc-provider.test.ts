import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import { createTokenVerifier } from '../../src/identity/token-verifier.ts';
import type { TokenVerifier } from '../../src/identity/token-verifier.ts';

const AUDIENCE = 'https://api.example.com';
const CLIENT = 'aaaaaaaa-0000-4000-8000-000000000001';
const NAMES = { role: 'https://example.com/role', clientAccess: 'https://example.com/client_access' };

let claims: Readonly<Record<string, unknown>>;

// The provider warns on the console of every default that it thinks a production should change.
for (const method of ['info', 'warn'] as const) jest.spyOn(console, method).mockReturnValue();
const server = createServer();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const handle = (await createProvider()).callback();
server.on('request', (request, response) => void handle(request, response));

afterAll(async () => {
  jest.restoreAllMocks();
  await new Promise((resolve) => server.close(resolve));
});

async function createProvider(): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const resource = {
    scope: 'claims',
    audience: AUDIENCE,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  } as const;
  return new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'reports', client_secret: 'reports-secret', grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        getResourceServerInfo: () => resource,
      },
    },
    extraTokenClaims: () => claims,
    ttl: { ClientCredentials: 600 },
  });
}

async function issuedToken(): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('reports:reports-secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'claims' }),
  });
  const body = (await response.json()) as { access_token: string };
  return body.access_token;
}

function verifierOf(environment: Record<string, string>): TokenVerifier {
  const jwks = `${issuer}/jwks`;
  const { identity } = loadConfig({
    ...{ AUTH_ISSUER: issuer, AUTH_AUDIENCE: AUDIENCE, AUTH_JWKS_URL: jwks },
    ...{ AUTH_ROLE_CLAIM: NAMES.role, AUTH_CLIENT_ACCESS_CLAIM: NAMES.clientAccess },
    ...environment,
  });
  if (identity.provider === undefined) throw new Error('no provider configured');
  return createTokenVerifier({ ...identity, ...identity.provider, log: pino({ level: 'silent' }) });
}

test('an access token of a certified OpenID provider is accepted, with both claims under its own names', async () => {
  claims = { [NAMES.role]: 'ACCOUNT_MANAGER', [NAMES.clientAccess]: [CLIENT] };
  const caller = await verifierOf({}).verify(await issuedToken());
  expect(caller).toMatchObject({ subject: 'reports', role: 'ACCOUNT_MANAGER', clientAccess: [CLIENT] });
});

test("the same provider's token is refused for another audience, by another issuer, and without the claims", async () => {
  claims = { [NAMES.role]: 'ACCOUNT_MANAGER', [NAMES.clientAccess]: [CLIENT] };
  const refused = { code: 'ERROR_UNAUTHORIZED' };
  const token = await issuedToken();
  await expect(verifierOf({ AUTH_AUDIENCE: 'another' }).verify(token)).rejects.toMatchObject(refused);
  await expect(verifierOf({ AUTH_ISSUER: `${issuer}/` }).verify(token)).rejects.toMatchObject(refused);
  claims = {};
  await expect(verifierOf({}).verify(await issuedToken())).rejects.toMatchObject(refused);
  await expect(verifierOf({}).verify(token)).resolves.toMatchObject({ role: 'ACCOUNT_MANAGER' });
});
