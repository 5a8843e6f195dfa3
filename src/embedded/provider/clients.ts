import type { Client } from 'oidc-provider';
import { isLoopback } from '../../identity/loopback.ts';

export const DOCS_CLIENT = 'taxclaims-docs';
export const FRONTEND_CLIENT = 'taxclaims-frontend';

/** Where the pages may be that log in here. */
export interface TrustedPages {
  readonly corsOrigins: readonly string[];
  /** Of the provider itself, as others reach it. */
  readonly issuer: string;
  /** False in production: there whatever listens on the reader's own machine is nobody we know. */
  readonly loopback: boolean;
}

/** Programs in a browser keep no secret: PKCE proves that whoever asks for the tokens began the login. */
const PUBLIC = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  application_type: 'web',
};

/** The library wants an address of each beforehand; `isTrustedAddress` is what counts. */
export const CLIENTS = [
  {
    ...PUBLIC,
    client_id: DOCS_CLIENT,
    client_name: '/docs',
    redirect_uris: ['http://127.0.0.1/docs'],
    post_logout_redirect_uris: ['http://127.0.0.1/docs'],
  },
  {
    ...PUBLIC,
    client_id: FRONTEND_CLIENT,
    client_name: 'Taxclaims',
    redirect_uris: ['http://127.0.0.1/'],
    post_logout_redirect_uris: ['http://127.0.0.1/'],
  },
];

/** Whether a browser may be sent there with the code of a login, or after a logout. */
export function isTrustedAddress(pages: TrustedPages, { clientId }: Client, uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || /[#\\\s]/.test(uri) || url.username !== '' || url.password !== '') return false;
  if (clientId === FRONTEND_CLIENT) return isTrustedOrigin(pages, url.origin);
  if (clientId !== DOCS_CLIENT || !/^\/docs(?:\/|$)/.test(url.pathname)) return false;
  // Behind one proxy /docs and the provider may be one origin.
  return isTrustedOrigin(pages, url.origin) || url.origin === new URL(pages.issuer).origin;
}

/** Whether a page of that origin may ask for tokens and keys from a script. */
export function isTrustedOrigin({ corsOrigins, loopback }: TrustedPages, origin: string): boolean {
  if (corsOrigins.includes(origin)) return true;
  const url = URL.parse(origin);
  return loopback && url !== null && /^https?:$/.test(url.protocol) && isLoopback(url.hostname);
}
