import {
  errors,
  interactionPolicy,
  Provider,
  type Account,
  type Configuration,
  type FindAccount,
  type Grant,
  type KoaContextWithOIDC as Context,
} from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import type { Config } from '../../config.ts';
import { EMBEDDED_PROVIDER_CONSENT_S, EMBEDDED_PROVIDER_LOGIN_S, EMBEDDED_PROVIDER_TOKEN_S } from '../../limits.ts';
import { OIDC_CLIENTS, isTrustedRedirectUri, isTrustedOrigin } from './clients.ts';
import { EMBEDDED_AUDIENCE, deriveSecret, SIGNING_ALGORITHM, type SigningKey } from './key.ts';
import { logoutSource, postLogoutSuccessSource, renderError } from './send-page.ts';
import { findUser, type LoginDatabase, type User } from './users.ts';

const OIDC_SCOPES = 'openid profile email offline_access';
const API_SCOPE = 'api';
const API_RESOURCE = `urn:${EMBEDDED_AUDIENCE}`;

/** The lifetimes of what the provider issues, in seconds. */
const LIFETIMES: Configuration['ttl'] = {
  AccessToken: EMBEDDED_PROVIDER_TOKEN_S,
  AuthorizationCode: 60,
  Grant: EMBEDDED_PROVIDER_CONSENT_S,
  IdToken: EMBEDDED_PROVIDER_TOKEN_S,
  Interaction: EMBEDDED_PROVIDER_TOKEN_S,
  RefreshToken: (_, { authTime }) => remainingLoginSeconds(authTime),
  Session: (_, { loginTs }) => (loginTs === undefined ? EMBEDDED_PROVIDER_TOKEN_S : remainingLoginSeconds(loginTs)),
};

export function createProvider(
  issuer: string,
  key: SigningKey,
  database: LoginDatabase,
  { corsOrigins, identity }: Pick<Config, 'corsOrigins' | 'identity'>,
): Provider {
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: OIDC_CLIENTS,
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    jwks: { keys: [{ ...key, alg: SIGNING_ALGORITHM, use: 'sig' }] },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    routes: { jwks: '/.well-known/jwks.json' },
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    scopes: OIDC_SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: describeCookies(issuer, key),
    interactions: { policy: createLoginPolicy(), url: (_, { jti }) => `/interaction/${jti}` },
    clientBasedCORS: (_, origin) => isTrustedOrigin(corsOrigins, origin),
    findAccount: createAccountFinder(database),
    loadExistingGrant: findOrMakeGrant,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    extraTokenClaims: ({ oidc }) => {
      const user = oidc.account?.['user'] as User | undefined;
      if (user === undefined) throw new errors.InvalidGrant('the user is inactive or unknown');
      const { email, name, role, clientAccess } = user;
      const claims = { [identity.roleClaim]: role, [identity.clientAccessClaim]: clientAccess };
      return { ...claims, email, email_verified: true, name };
    },
    features: describeFeatures(key),
    ttl: LIFETIMES,
    renderError,
  });
  // Removes an empty `scope` from responses, because RFC 6749 allows only a scope with at least one name.
  provider.use(async ({ response }, next) => {
    await next();
    const { body } = response as { body?: { scope?: string } };
    if (body?.scope === '') delete body.scope;
  });
  for (const method of ['redirectUriAllowed', 'postLogoutRedirectUriAllowed'] as const) {
    provider.Client.prototype[method] = function (uri) {
      return isTrustedRedirectUri(corsOrigins, this.clientId, uri);
    };
  }
  return provider;
}

/** Cookie names contain the port, because another provider on this machine would overwrite cookies of the same name. */
function describeCookies(issuer: string, key: SigningKey): Configuration['cookies'] {
  const { port } = new URL(issuer);
  const options = { httpOnly: true, sameSite: 'lax' } as const;
  return {
    keys: [deriveSecret('cookies', key)],
    names: { session: `session-${port}`, interaction: `interaction-${port}`, resume: `resume-${port}` },
    long: options,
    short: options,
  };
}

function createLoginPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const hasEnded = ({ oidc }: Context): boolean => oidc.account === undefined;
  policy.get('login')?.checks.add(new interactionPolicy.Check('ended', 'the login has ended', hasEnded));
  return policy;
}

function createAccountFinder(database: LoginDatabase): FindAccount {
  return async ({ oidc }, subject, token): Promise<Account | undefined> => {
    const user = await findUser(database, 'subject', subject);
    const { authTime } = (token ?? {}) as { readonly authTime?: number };
    if (user?.isActive !== true || (authTime ?? oidc.session?.loginTs ?? 0) <= user.endedAt) return undefined;
    const { email, name } = user;
    return { accountId: subject, user, claims: () => ({ sub: subject, email, email_verified: true, name }) };
  };
}

function describeFeatures({ kid }: SigningKey): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    // Disables the userinfo endpoint: it refuses access tokens made for an API, and the provider issues no others.
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
    rpInitiatedLogout: { enabled: true, logoutSource, postLogoutSuccessSource },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API_RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        audience: EMBEDDED_AUDIENCE,
        scope: API_SCOPE,
        accessTokenTTL: EMBEDDED_PROVIDER_TOKEN_S,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: SIGNING_ALGORITHM, kid } },
      }),
    },
  };
}

function remainingLoginSeconds(since = 0): number {
  return Math.max(1, since + EMBEDDED_PROVIDER_LOGIN_S - Math.floor(Date.now() / 1000));
}

/** Grants access without asking the user for consent, because both client applications belong to the firm. */
async function findOrMakeGrant({ oidc: { provider, client, session } }: Context): Promise<Grant | undefined> {
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { clientId } = client;
  const grantId = session.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known !== undefined) return known;
  const grant = new provider.Grant({ clientId, accountId: session.accountId });
  grant.addOIDCScope(OIDC_SCOPES);
  grant.addResourceScope(API_RESOURCE, API_SCOPE);
  await grant.save();
  return grant;
}
