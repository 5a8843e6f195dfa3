import { importJWK, SignJWT } from 'jose';
import type { Role } from '../../identity/caller.ts';
import type { ClaimNames } from '../../identity/claims.ts';
import { openKeyRing, SIGNING_ALGORITHM } from './keys.ts';

export const EMBEDDED_AUDIENCE = 'taxclaims-api';

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

/** Signs tokens like the provider's, for whoever has its keys: the demonstration, and `npm run token`. */
export interface TokenSigner {
  readonly issuer: string;
  readonly audience: string;
  sign(request: TokenRequest): Promise<string>;
}

export interface SignerOptions {
  readonly dataDir: string;
  readonly issuer: string;
  /** Where the verifier will look for the two custom claims; `role` and `client_access` when absent. */
  readonly claimNames?: ClaimNames;
}

/**
 * Opens the signing key under `dataDir`, making it when there is none; needs no running service.
 * @throws when the key cannot be read or made
 */
export async function openTokenSigner({ dataDir, issuer, claimNames }: SignerOptions): Promise<TokenSigner> {
  const names = claimNames ?? { role: 'role', clientAccess: 'client_access' };
  await openKeyRing(dataDir);

  async function sign(request: TokenRequest): Promise<string> {
    const { subject, role, clientAccess, email, name, expiresIn } = request;
    // Each time anew: another may have begun to sign.
    const { signing } = await openKeyRing(dataDir);
    const custom = { [names.role]: role, [names.clientAccess]: [...clientAccess] };
    // Nobody else's service believes this provider: whoever signs with it answers for the email.
    const verified = email === undefined ? {} : { email_verified: true };
    return new SignJWT({ email, ...verified, name, ...custom })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'JWT', kid: signing.kid })
      .setIssuer(issuer)
      .setAudience(EMBEDDED_AUDIENCE)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(expiresIn ?? DEFAULT_LIFETIME)
      .sign(await importJWK({ ...signing }, SIGNING_ALGORITHM));
  }

  return { issuer, audience: EMBEDDED_AUDIENCE, sign };
}
