import { isLoopback } from '../../identity/loopback.ts';

export const DOCS_CLIENT_ID = 'taxclaims-docs';
export const FRONTEND_CLIENT_ID = 'taxclaims-frontend';

/** For each client application, the only path to which the identity provider redirects. */
const REDIRECT_PATHS: Readonly<Record<string, string>> = {
  [DOCS_CLIENT_ID]: '/docs',
  [FRONTEND_CLIENT_ID]: '/',
};

/** Client applications in a browser cannot keep a secret, so they use PKCE to prove who began the login. */
export const OIDC_CLIENTS = Object.entries(REDIRECT_PATHS).map(([id, path]) => ({
  client_id: id,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code' as const],
  // oidc-provider needs values for both lists below, but `isTrustedRedirectUri` decides which addresses are allowed.
  redirect_uris: [`http://127.0.0.1${path}`],
  post_logout_redirect_uris: [`http://127.0.0.1${path}`],
}));

export function isTrustedRedirectUri(corsOrigins: readonly string[], client: string, uri: string): boolean {
  const { origin = '' } = URL.parse(uri) ?? {};
  return uri === `${origin}${REDIRECT_PATHS[client] ?? '?'}` && isTrustedOrigin(corsOrigins, origin);
}

export function isTrustedOrigin(corsOrigins: readonly string[], origin: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(origin) ?? {};
  return corsOrigins.includes(origin) || (/^https?:$/.test(protocol) && isLoopback(hostname));
}
