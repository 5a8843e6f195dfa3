import { isLoopback } from '../../identity/loopback.ts';

export const DOCS_CLIENT = 'taxclaims-docs';
export const FRONTEND_CLIENT = 'taxclaims-frontend';

/** Where each program is on its origin: a browser is sent there and nowhere else. */
const PATHS: Readonly<Record<string, string>> = { [DOCS_CLIENT]: '/docs', [FRONTEND_CLIENT]: '/' };

/** Programs in a browser keep no secret: PKCE proves that whoever asks for the tokens began the login. */
export const CLIENTS = Object.entries(PATHS).map(([id, path]) => ({
  client_id: id,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code' as const],
  // The library wants one of each beforehand; `isTrustedAddress` is what counts.
  redirect_uris: [`http://127.0.0.1${path}`],
  post_logout_redirect_uris: [`http://127.0.0.1${path}`],
}));

/** Whether a browser may be sent there with the code of a login, or after a logout. */
export function isTrustedAddress(corsOrigins: readonly string[], client: string, uri: string): boolean {
  const { origin = '' } = URL.parse(uri) ?? {};
  return uri === `${origin}${PATHS[client] ?? '?'}` && isTrustedOrigin(corsOrigins, origin);
}

/** Whether a page of that origin may ask for tokens from a script: one of this machine, or of CORS_ORIGINS. */
export function isTrustedOrigin(corsOrigins: readonly string[], origin: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(origin) ?? {};
  return corsOrigins.includes(origin) || (/^https?:$/.test(protocol) && isLoopback(hostname));
}
