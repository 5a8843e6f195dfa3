import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, SignJWT } from 'jose';
import type { JSONWebKeySet, JWK } from 'jose';
import type { Role } from '../identity/caller.ts';
import type { ClaimNames } from '../identity/claims.ts';
import { loadSigningKey, SIGNING_ALGORITHM } from './signing-key.ts';
import type { SigningKey } from './signing-key.ts';

/** Independent of ports and addresses, so that a token outlives a restart. */
export const EMBEDDED_ISSUER = 'urn:taxclaims:identity';
const EMBEDDED_AUDIENCE = 'taxclaims-api';

const JWKS_PATH = '/.well-known/jwks.json';
const DEFAULT_LIFETIME = '12h';

export interface TokenRequest {
  readonly subject: string;
  readonly role: Role;
  readonly clientAccess: readonly string[];
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** A number and its unit, as in `30m`; 12 hours when absent. */
  readonly expiresIn?: string | undefined;
}

export interface TokenSigner {
  readonly issuer: string;
  readonly audience: string;
  /** The public half alone. */
  readonly jwks: JSONWebKeySet;
  sign(request: TokenRequest): Promise<string>;
}

export interface EmbeddedProvider extends TokenSigner {
  readonly jwksUrl: string;
  close(): Promise<void>;
}

export interface SignerOptions {
  readonly dataDir: string;
  /** Where the verifier will look for the two custom claims; `role` and `client_access` when absent. */
  readonly claimNames?: ClaimNames;
}

/**
 * Opens the signing key under `dataDir`, making it when there is none; needs no running service.
 * @throws when the key cannot be read or made
 */
export async function openTokenSigner(options: SignerOptions): Promise<TokenSigner> {
  const names = options.claimNames ?? { role: 'role', clientAccess: 'client_access' };
  const jwk = await loadSigningKey(options.dataDir);
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  const header = { alg: SIGNING_ALGORITHM, typ: 'JWT', kid: jwk.kid };

  function sign({ subject, role, clientAccess, email, name, expiresIn }: TokenRequest): Promise<string> {
    const custom = { [names.role]: role, [names.clientAccess]: [...clientAccess] };
    // Nobody else's service believes this provider: whoever signs with it answers for the email.
    const verified = email === undefined ? {} : { email_verified: true };
    return new SignJWT({ email, ...verified, name, ...custom })
      .setProtectedHeader(header)
      .setIssuer(EMBEDDED_ISSUER)
      .setAudience(EMBEDDED_AUDIENCE)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(expiresIn ?? DEFAULT_LIFETIME)
      .sign(key);
  }

  return { issuer: EMBEDDED_ISSUER, audience: EMBEDDED_AUDIENCE, jwks: { keys: [publicHalf(jwk)] }, sign };
}

/**
 * Starts the identity provider of a machine that has none: it signs tokens and publishes its key on a free port
 * of `host`. Not for production: whoever reads `dataDir` is everybody.
 * @throws when the key cannot be read or made, or the address not be listened on
 */
export async function startEmbeddedProvider(
  options: SignerOptions & { readonly host: string },
): Promise<EmbeddedProvider> {
  const signer = await openTokenSigner(options);
  const server = serve(JSON.stringify(signer.jwks));
  const address = await listen(server, options.host);
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    ...signer,
    jwksUrl: `http://${host}:${address.port}${JWKS_PATH}`,
    close: () => close(server),
  };
}

function publicHalf({ crv, x, y, kid }: SigningKey): JWK {
  return { kty: 'EC', crv, x, y, kid, alg: SIGNING_ALGORITHM, use: 'sig' };
}

function serve(body: string): Server {
  return createServer((request, response) => {
    const found = request.method === 'GET' && request.url === JWKS_PATH;
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json', Connection: 'close' });
    response.end(found ? body : '{}');
  });
}

function listen(server: Server, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      resolve(server.address() as AddressInfo);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
