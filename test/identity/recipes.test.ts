import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK, JWTHeaderParameters } from 'jose';
import { Provider } from 'oidc-provider';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import type { Caller } from '../../src/identity/caller.ts';
import { createTokenVerifier } from '../../src/identity/token-verifier.ts';
import { blockOf } from '../support/pages.ts';

/*
 * Each page of docs/identity describes the settings for one vendor of identity providers. The tests use these settings,
 * and a test provider whose tokens and paths are those of the vendor’s documentation.
 */

const CLIENT = 'aaaaaaaa-0000-4000-8000-000000000001';
const USER = 'bbbbbbbb-0000-4000-8000-000000000002';

type Claims = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

interface Shape {
  /** The paths of the vendor’s issuer and of its key set. */
  readonly issuer: string;
  readonly keys: string;
  /** The header of the provider's tokens, without `alg` and `kid`. */
  readonly header: Claims;
  /** The claims of the provider's tokens, without `iat`, `exp` and `iss`. */
  readonly claims: (issuer: string, audience: string) => Claims | Promise<Claims>;
  /** The keys that the provider publishes in addition to the signing key, and further members of the signing key. */
  readonly otherKeys: readonly JWK[];
  readonly keySays: Partial<JWK>;
}

const RIGHTS = { role: 'TAX_SPECIALIST', client_access: [CLIENT] };

const servers: Server[] = [];

// The test silences the console, because the package oidc-provider warns of every default that production should
// change.
for (const method of ['info', 'warn'] as const) jest.spyOn(console, method).mockReturnValue();
const made = await Promise.all(['RS256', 'RSA-OAEP'].map((alg) => generateKeyPair(alg, { extractable: true })));
const [signs, encrypts] = await Promise.all(made.map(async ({ privateKey }) => exportJWK(privateKey)));
const stranger: JWK = { ...signs, kid: 'next', use: 'sig' };
const encrypting: JWK = { ...encrypts, kid: 'encrypting', use: 'enc', alg: 'RSA-OAEP' };

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** The claims that the Auth0 Action in docs/identity/auth0.md puts into a user’s token. */
async function actionsClaims(user: object): Promise<Claims> {
  const code = blockOf('docs/identity/auth0.md', 'exports.onExecutePostLogin');
  const claims: Record<string, unknown> = {};
  const setCustomClaim = (name: string, value: unknown): void => {
    claims[name] = value;
  };
  const sandbox = { exports: {} as { onExecutePostLogin?: (event: object, api: object) => Promise<void> } };
  runInNewContext(code, sandbox);
  await sandbox.exports.onExecutePostLogin?.({ user }, { accessToken: { setCustomClaim } });
  return JSON.parse(JSON.stringify(claims)) as Claims;
}

/** The claims that the Lambda in docs/identity/cognito.md puts into a user’s access token. */
async function lambdasClaims(userAttributes: object): Promise<Claims> {
  const code = blockOf('docs/identity/cognito.md', 'export const handler');
  const { handler } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    handler: (event: object) => Promise<{
      response: { claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: Claims } } };
    }>;
  };
  const { response } = await handler({ request: { userAttributes } });
  return response.claimsAndScopeOverrideDetails.accessTokenGeneration.claimsToAddOrOverride;
}

const DISCOVERY = '/.well-known/openid-configuration';
const TENANT = '00000000-0000-4000-8000-000000000000';

const SHAPES: Readonly<Record<string, () => Shape>> = {
  Auth0: () => ({
    ...{ issuer: '/', keys: '/.well-known/jwks.json' },
    header: { typ: 'JWT' },
    claims: async (issuer, audience) => ({
      ...(await actionsClaims({
        ...{ email: 'ada@b.example', email_verified: true, name: 'Ada', app_metadata: RIGHTS },
      })),
      ...{ sub: 'auth0|5f7c8ec7c33c6c004bbafe82', azp: 'frontend', scope: 'openid profile email' },
      aud: [audience, `${issuer}userinfo`],
    }),
    otherKeys: [{ ...stranger, alg: 'RS256' }],
    keySays: { alg: 'RS256', use: 'sig' },
  }),
  Keycloak: () => ({
    ...{ issuer: '/realms/firm', keys: '/realms/firm/protocol/openid-connect/certs' },
    header: { typ: 'JWT' },
    claims: (_issuer, audience) => ({
      ...{ sub: USER, typ: 'Bearer', azp: 'frontend', 'allowed-origins': ['https://app.example'] },
      realm_access: { roles: ['default-roles-firm', 'offline_access', RIGHTS.role, 'uma_authorization'] },
      client_access: RIGHTS.client_access,
      resource_access: { account: { roles: ['view-profile'] } },
      ...{ email: 'ada@b.example', email_verified: true, name: 'Ada', preferred_username: 'ada' },
      aud: [audience, 'account'],
    }),
    otherKeys: [encrypting],
    keySays: { alg: 'RS256', use: 'sig' },
  }),
  'Entra ID': () => ({
    ...{ issuer: `/${TENANT}/v2.0`, keys: `/${TENANT}/discovery/v2.0/keys` },
    header: { typ: 'JWT', x5t: 'mAqBB4XJ9mIrNHm_KQLfPwd8kIU' },
    claims: (_issuer, audience) => ({
      ...{ roles: [RIGHTS.role, 'Reports.Read'], client_access: RIGHTS.client_access.join(',') },
      ...{ sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ', oid: USER, ver: '2.0' },
      ...{ azp: 'frontend', scp: 'access', tid: TENANT },
      ...{ email: 'ada@b.example', name: 'Ada', preferred_username: 'ada@b.example' },
      aud: audience,
    }),
    // Entra ID publishes its keys without `alg`.
    otherKeys: [stranger],
    keySays: { use: 'sig' },
  }),
  Okta: () => ({
    ...{ issuer: '/oauth2/default', keys: '/oauth2/default/v1/keys' },
    header: {},
    claims: (_issuer, audience) => ({
      ...{ ver: 1, jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE', cid: '0oa1', scp: ['openid', 'email'] },
      ...{ sub: 'ada@b.example', uid: '00uid4BxXw6I6TV4m0g3', auth_time: 1, groups: ['Everyone', RIGHTS.role] },
      ...{ client_access: RIGHTS.client_access, email: 'ada@b.example', name: 'Ada' },
      aud: audience,
    }),
    otherKeys: [stranger],
    keySays: { alg: 'RS256', use: 'sig' },
  }),
  Authentik: () => ({
    ...{ issuer: '/application/o/taxclaims/', keys: '/application/o/taxclaims/jwks/' },
    header: { typ: 'JWT' },
    claims: (_issuer, audience) => ({
      ...{ sub: 'a'.repeat(64), acr: 'goauthentik.io/providers/oauth2/default', azp: audience, uid: 'x' },
      ...{ groups: ['authentik Admins', RIGHTS.role], client_access: RIGHTS.client_access },
      ...{ email: 'ada@b.example', email_verified: true, name: 'Ada', preferred_username: 'ada' },
      aud: audience,
    }),
    otherKeys: [],
    keySays: { alg: 'RS256', use: 'sig' },
  }),
  Cognito: () => ({
    ...{ issuer: '/eu-west-3_aBcDeFgHi', keys: '/eu-west-3_aBcDeFgHi/.well-known/jwks.json' },
    header: {},
    claims: async (_issuer, audience) => ({
      ...{ sub: USER, username: USER, token_use: 'access', version: 2, scope: 'openid email', auth_time: 1 },
      ...{ 'cognito:groups': [RIGHTS.role, 'eu-west-3_aBcDeFgHi_Google'], origin_jti: USER, event_id: USER },
      ...(await lambdasClaims({
        ...{ sub: USER, 'custom:client_access': JSON.stringify(RIGHTS.client_access) },
        ...{ email: 'ada@b.example', email_verified: 'true', name: 'Ada' },
      })),
      client_id: audience,
    }),
    otherKeys: [stranger],
    keySays: { alg: 'RS256', use: 'sig' },
  }),
};

/** Reads the environment variables that a page of docs/identity sets. */
function recipe(name: string): Environment {
  const page = `docs/identity/${name.toLowerCase().replace(' ', '-')}.md`;
  const lines = blockOf(page, 'AUTH_ISSUER=').trim().split('\n');
  const variables = lines.flatMap((line) => {
    const [, variable = '', value = ''] = /^(AUTH_[A-Z_]+)=(\S+)(?: #.*)?$/.exec(line) ?? [];
    return variable === '' ? [] : [[variable, value] as const];
  });
  expect([name, variables.length]).toEqual([name, lines.length]);
  return Object.fromEntries(variables);
}

const NO_AUDIENCE = 'none';

/** Signs a token again without `aud` if the vendor’s tokens have none: oidc-provider issues no such token. */
async function withoutMissingAudience(token: string, key: CryptoKey): Promise<string> {
  const { aud, ...claims } = decodeJwt(token);
  if (aud !== NO_AUDIENCE) return token;
  return new SignJWT(claims).setProtectedHeader(decodeProtectedHeader(token) as JWTHeaderParameters).sign(key);
}

interface Connected {
  readonly environment: Environment;
  /**
   * Verifies a token with the vendor’s claims after the given changes. A claim that a change sets to undefined is left
   * out.
   */
  readonly callerOf: (claims?: Claims) => Promise<Caller>;
}

/**
 * Starts a test provider, and configures the token verifier as the vendor’s page in docs/identity says, except for the
 * provider’s host.
 */
async function connect(name: string): Promise<Connected> {
  const shape = SHAPES[name]?.();
  if (shape === undefined) throw new Error(`SHAPES has no provider ${name}`);
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const local = (url: string) => url.replace(/^https:\/\/[^/]+/, origin);
  const said = recipe(name);
  const environment: Environment = { ...said, AUTH_ISSUER: local(said['AUTH_ISSUER'] ?? '') };
  const { identity } = loadConfig(environment);
  if (identity.provider === undefined) throw new Error('the recipe configures no identity provider');
  const { audience } = identity.provider;
  const issuer = `${origin}${shape.issuer}`;

  let claims: Claims = {};
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signing = { ...(await exportJWK(privateKey)), kid: 'present', ...shape.keySays };
  const accessTokenFormat = 'jwt' as const;
  const resource = { scope: 'claims', audience, accessTokenFormat, jwt: { sign: { alg: 'RS256' } } } as const;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'reports', client_secret: 'reports-secret', grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      },
    ],
    jwks: { keys: [signing, ...shape.otherKeys] },
    routes: { jwks: shape.keys },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      // Without these features oidc-provider does not publish its key for encryption, which the service must ignore.
      ...{ encryption: { enabled: true }, requestObjects: { enabled: true } },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'https://api.example',
        getResourceServerInfo: () => resource,
      },
    },
    extraTokenClaims: () => ({}),
    ttl: { ClientCredentials: 600 },
    formats: {
      customizers: {
        jwt: async (_context, _token, unsigned) => {
          const { iat, exp } = unsigned.payload;
          const own = await shape.claims(issuer, audience);
          unsigned.payload = { iat, nbf: iat, exp, iss: issuer, aud: NO_AUDIENCE, ...own, ...claims };
          unsigned.header = { ...shape.header };
        },
      },
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    // oidc-provider serves its discovery only at the root, and the vendors serve theirs below the path of the issuer.
    if (request.url === `${shape.issuer.replace(/\/$/, '')}${DISCOVERY}`) request.url = DISCOVERY;
    void handle(request, response);
  });

  const verifier = createTokenVerifier({ ...identity, ...identity.provider, log: pino({ level: 'silent' }) });
  return {
    environment,
    callerOf: async (otherClaims = {}) => {
      claims = otherClaims;
      const response = await fetch(`${origin}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('reports:reports-secret')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'claims' }),
      });
      const { access_token: token } = (await response.json()) as { access_token: string };
      return verifier.verify(await withoutMissingAudience(token, privateKey));
    },
  };
}

/** Returns the name of the token’s claim in which the claim with this name or path stands. */
const topLevelName = (name: string) => (name.startsWith('https:') ? name : name.replace(/\..*/, ''));

const REFUSED = { code: 'ERROR_UNAUTHORIZED' };

describe.each(Object.keys(SHAPES))(
  'the service accepts the tokens of %s with the variables of its recipe',
  (provider) => {
    test(`with the settings in docs/identity for ${provider}, a token gives the caller’s role, clients and verified email`, async () => {
      const { callerOf } = await connect(provider);
      await expect(callerOf()).resolves.toMatchObject({
        ...{ role: RIGHTS.role, clientAccess: RIGHTS.client_access },
        ...{ email: 'ada@b.example', name: 'Ada' },
      });
    });

    test(`with the settings in docs/identity for ${provider}, a token of another audience or issuer, or without a claim, is refused`, async () => {
      const { callerOf, environment } = await connect(provider);
      const { AUTH_ROLE_CLAIM: role = 'role', AUTH_CLIENT_ACCESS_CLAIM: clients = 'client_access' } = environment;
      const issuer = environment['AUTH_ISSUER'] ?? '';
      for (const wrong of [
        { aud: 'account' },
        { aud: ['account', 'another'] },
        { iss: issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/` },
        { [topLevelName(role)]: undefined },
        { [topLevelName(clients)]: undefined },
      ])
        await expect(callerOf(wrong)).rejects.toMatchObject(REFUSED);
      await expect(callerOf({ [clients]: [], [role]: 'ADMIN' })).resolves.toMatchObject({ clientAccess: [] });
    });
  },
);

test('an Okta user who gets another login name stays the same user', async () => {
  const { callerOf } = await connect('Okta');
  const { userId } = await callerOf();
  await expect(callerOf({ sub: 'ada.king@b.example' })).resolves.toMatchObject({ userId });
});
