import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { Accounts } from './accounts.ts';
import { isTrustedOrigin } from './clients.ts';
import type { TrustedPages } from './clients.ts';
import { publicHalf, SIGNING_ALGORITHM } from './keys.ts';
import type { KeyRing } from './keys.ts';
import { EMBEDDED_AUDIENCE } from './signer.ts';

/** Where the library has its own, which takes no token that is for an API. */
export const USERINFO_PATH = '/me';

export interface UserinfoOptions {
  readonly issuer: string;
  readonly ring: KeyRing;
  readonly accounts: Accounts;
  readonly pages: TrustedPages;
}

/** Whether the request bears a token in three parts, as those for the API are. */
export function bearsApiToken({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'POST') && tokenOf(headers.authorization) !== undefined;
}

/** Says of an access token for the API whose it is (OpenID Connect Core, 5.3). */
export async function answerUserinfo(
  { issuer, ring, accounts, pages }: UserinfoOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader('Vary', 'Origin');
  if (origin !== undefined && isTrustedOrigin(pages, origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate');
  }
  const keys = createLocalJWKSet({ keys: ring.published.map(publicHalf) });
  const sub = await jwtVerify(tokenOf(request.headers.authorization) ?? '', keys, {
    issuer,
    audience: EMBEDDED_AUDIENCE,
    algorithms: [SIGNING_ALGORITHM],
    requiredClaims: ['exp', 'sub'],
  }).then(
    ({ payload }) => payload.sub,
    (error: unknown) => {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    },
  );
  const found = sub === undefined ? undefined : await accounts.find(sub);
  if (found?.isActive !== true) {
    response.setHeader('WWW-Authenticate', 'Bearer error="invalid_token"');
    send(response, 401, { error: 'invalid_token', error_description: 'invalid token provided' });
    return;
  }
  const { account, email, name } = found;
  send(response, 200, { sub: account, email, email_verified: true, name });
}

function tokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
