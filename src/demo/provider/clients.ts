import { isLoopback } from '../../identity/loopback.ts';

export const DOCS_CLIENT_ID = 'taxclaims-docs';
export const FRONTEND_CLIENT_ID = 'taxclaims-frontend';

/** For each client application, the paths to which the identity provider redirects: of a frontend, every path. */
const REDIRECT_PATHS: Readonly<Record<string, RegExp>> = {
  [DOCS_CLIENT_ID]: /^\/docs$/,
  // A frontend that passes a path such as `//evil.example` on would leave its origin.
  [FRONTEND_CLIENT_ID]: /^\/(?!\/)/,
};

/** Client applications in a browser cannot keep a secret, so they use PKCE to prove who began the login. */
export const OIDC_CLIENTS = Object.keys(REDIRECT_PATHS).map((id) => ({
  client_id: id,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code' as const],
  // oidc-provider needs values for both lists below, but `isTrustedRedirectUri` decides which addresses are allowed.
  redirect_uris: ['http://127.0.0.1/'],
  post_logout_redirect_uris: ['http://127.0.0.1/'],
}));

export function isTrustedRedirectUri(corsOrigins: readonly string[], client: string, uri: string): boolean {
  const { origin = '', pathname = '' } = URL.parse(uri) ?? {};
  const isAllowed = REDIRECT_PATHS[client]?.test(pathname) ?? false;
  // The address has no query, fragment or user, and is written as a browser writes it.
  return isAllowed && uri === `${origin}${pathname}` && isTrustedOrigin(corsOrigins, origin);
}

export function isTrustedOrigin(corsOrigins: readonly string[], origin: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(origin) ?? {};
  return corsOrigins.includes(origin) || (/^https?:$/.test(protocol) && isLoopback(hostname));
}
