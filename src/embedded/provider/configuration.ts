import { errors, Provider } from 'oidc-provider';
import type { Account, Client, Context, Login, Session } from 'oidc-provider';
import type { ClaimNames } from '../../identity/claims.ts';
import type { Accounts } from './accounts.ts';
import { CLIENTS, isTrustedAddress, isTrustedOrigin } from './clients.ts';
import type { TrustedPages } from './clients.ts';
import { SIGNING_ALGORITHM } from './keys.ts';
import type { KeyRing } from './keys.ts';
import { logoutSource, postLogoutSuccessSource, renderError } from './library-pages.ts';
import { EMBEDDED_AUDIENCE } from './signer.ts';
import { inTheirWords } from './store.ts';
import type { storeOn } from './store.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const LIFETIMES = {
  accessToken: 15 * MINUTE,
  code: MINUTE,
  /** Of a login page, and of a session in which nobody has logged in: anybody makes them. */
  interaction: 15 * MINUTE,
  /** Of a login in a browser, and of the refresh tokens that end with it. */
  session: 12 * HOUR,
  /** Of a refresh token that was asked for with `offline_access`. */
  offline: 30 * DAY,
} as const;

const OIDC_SCOPES = 'openid profile email offline_access';
const API_SCOPE = 'api';

export interface ProviderParts {
  readonly issuer: string;
  readonly ring: KeyRing;
  readonly accounts: Accounts;
  readonly store: ReturnType<typeof storeOn>;
  readonly pages: TrustedPages;
  readonly claimNames: ClaimNames;
  readonly cookieSecret: string;
  /** Where a browser goes to log in. */
  interactionPath(uid: string): string;
}

/** The provider of these keys. It keeps nothing in memory: one of other keys may follow at any moment. */
export function createProvider(parts: ProviderParts): Provider {
  const { issuer, ring, accounts, store, pages, claimNames, cookieSecret } = parts;
  const { secure, tag } = cookiesOf(issuer);
  const provider = new Provider(issuer, {
    adapter: store,
    clients: CLIENTS,
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    jwks: { keys: ring.published },
    enabledJWA: {
      idTokenSigningAlgValues: [SIGNING_ALGORITHM],
      userinfoSigningAlgValues: [SIGNING_ALGORITHM],
    },
    routes: { jwks: '/.well-known/jwks.json' },
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    scopes: OIDC_SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // A page that has the API's token alone learns here who has logged in.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: {
      keys: [cookieSecret],
      names: {
        session: `session-${tag}`,
        interaction: `interaction-${tag}`,
        resume: `resume-${tag}`,
      },
      long: { httpOnly: true, sameSite: 'lax', secure },
      short: { httpOnly: true, sameSite: 'lax', secure },
    },
    interactions: {
      url: (_: Context, { jti }: { readonly jti: string }) => parts.interactionPath(jti),
    },
    clientBasedCORS: (_: Context, origin: string) => isTrustedOrigin(pages, origin),
    findAccount: (_: Context, sub: string) => accountNamed(accounts, sub),
    loadExistingGrant: grantOf,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: (_: Context, { scopes }: Login) => !scopes.has('offline_access'),
    extraTokenClaims: async (context: Context, { accountId }: { readonly accountId?: string }) =>
      accountId === undefined ? {} : claimsOf(accounts, accountId, loginOf(context), claimNames),
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      rpInitiatedLogout: { enabled: true, logoutSource, postLogoutSuccessSource },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => EMBEDDED_AUDIENCE_URN,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          audience: EMBEDDED_AUDIENCE,
          scope: API_SCOPE,
          accessTokenTTL: LIFETIMES.accessToken,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: SIGNING_ALGORITHM, kid: ring.signing.kid } },
        }),
      },
    },
    ttl: {
      AccessToken: LIFETIMES.accessToken,
      AuthorizationCode: LIFETIMES.code,
      Grant: LIFETIMES.offline,
      IdToken: LIFETIMES.accessToken,
      Interaction: LIFETIMES.interaction,
      RefreshToken: (_: Context, token: Login) =>
        leftOf(token.scopes.has('offline_access') ? LIFETIMES.offline : LIFETIMES.session, token.authTime),
      Session: (_: Context, { accountId, loginTs }: Session) =>
        accountId === undefined ? LIFETIMES.interaction : leftOf(LIFETIMES.session, loginTs),
    },
    renderError,
  });
  provider.proxy = true;
  // A token for the API has no scope. RFC 6749 knows no empty one; without any, what was asked for was granted.
  provider.use(async ({ response }, next) => {
    await next();
    if (response.body?.scope === '') delete response.body.scope;
  });
  for (const method of ['redirectUriAllowed', 'postLogoutRedirectUriAllowed'] as const) {
    provider.Client.prototype[method] = function (this: Client, uri: string) {
      return isTrustedAddress(pages, this, uri);
    };
  }
  return provider;
}

/** A resource is named by a URI. */
const EMBEDDED_AUDIENCE_URN = `urn:${EMBEDDED_AUDIENCE}`;

/** Cookies know no ports: another provider of the same machine would overwrite ours. */
function cookiesOf(issuer: string): { readonly secure: boolean; readonly tag: string } {
  const { protocol, port } = new URL(issuer);
  return { secure: protocol === 'https:', tag: port === '' ? 'https' : port };
}

/** However often something is renewed, it ends some time after the login. */
function leftOf(lifetime: number, since = Math.floor(Date.now() / 1000)): number {
  return Math.max(1, since + lifetime - Math.floor(Date.now() / 1000));
}

async function accountNamed(accounts: Accounts, sub: string): Promise<Account | undefined> {
  const found = await accounts.find(sub).catch((error: unknown) => {
    throw inTheirWords(error, 'Session');
  });
  if (found?.isActive !== true) return undefined;
  const { account, email, name } = found;
  return {
    accountId: account,
    claims: () => Promise.resolve({ sub: account, email, email_verified: true, name }),
  };
}

/** When the login was from which a token comes. */
function loginOf({ oidc }: Context): number {
  const { AuthorizationCode: code, RefreshToken: refresh } = oidc.entities;
  return refresh?.authTime ?? code?.authTime ?? oidc.session?.loginTs ?? 0;
}

async function claimsOf(
  accounts: Accounts,
  accountId: string,
  loggedInAt: number,
  names: ClaimNames,
): Promise<Record<string, unknown>> {
  const found = await accounts.claimsOf(accountId, loggedInAt).catch((error: unknown) => {
    throw inTheirWords(error, 'AccessToken');
  });
  if (found?.isActive !== true) throw new errors.InvalidGrant('the user is inactive or unknown');
  const { email, name, role, clientAccess } = found;
  return {
    [names.role]: role,
    [names.clientAccess]: clientAccess,
    email,
    email_verified: true,
    name,
  };
}

/** Both programs are the firm's own: whoever logs in is asked for no consent beside it. */
async function grantOf(context: Context): Promise<unknown> {
  const { provider, client, session, result } = context.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { clientId } = client;
  const known = result?.consent?.grantId ?? session.grantIdFor(clientId);
  const found = known === undefined ? undefined : await provider.Grant.find(known);
  if (found !== undefined) return found;
  const grant = new provider.Grant({ clientId, accountId: session.accountId });
  grant.addOIDCScope(OIDC_SCOPES);
  grant.addResourceScope(EMBEDDED_AUDIENCE_URN, API_SCOPE);
  await grant.save();
  return grant;
}

function isOwnToken(_: Context, client: Client, token: { readonly clientId: string }): boolean {
  return token.clientId === client.clientId;
}
