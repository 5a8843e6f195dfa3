import { hash } from 'node:crypto';
import type { JWTPayload, LocalJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { RequestError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { createCallerFromClaims, createBadTokenError } from './claims.ts';
import { createKeySetUrlFinder } from './discovery.ts';
import { createKeySet, type KeySetOptions } from './key-set.ts';
import { TOKEN_CLOCK_TOLERANCE_S, TOKEN_CACHE_BYTES, MAX_CACHED_TOKENS, MAX_TOKEN_CHARACTERS } from '../limits.ts';
import {
  SIGNATURE_ALGORITHMS,
  checkTokenHeader,
  isKeyMismatch,
  describeVerificationFailure,
  verifySignature,
} from './signature.ts';

export type TokenVerifier = ReturnType<typeof createTokenVerifier>;

export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Undefined if the issuer's discovery tells the address of its keys. */
  readonly jwksUrl?: string | undefined;
  readonly subjectClaim?: string;
  readonly roleClaim: string;
  readonly clientAccessClaim: string;
  /** True if an access token may have the audience in `client_id`, as Amazon Cognito's have; default false. */
  readonly isAudienceClientId?: boolean;
  /** True if the provider verifies every email, so that tokens need no claim `email_verified`; default false. */
  readonly emailsVerified?: boolean;
  readonly log: Logger;
  readonly onFetched?: KeySetOptions['onFetched'];
  readonly now?: () => number;
  readonly providerNow?: () => number;
  /** `onIssued` gets the claim `iat` of each token with a valid signature, even if the verifier refuses the token. */
  readonly onIssued?: ((seconds: number) => void) | undefined;
}

/** A remembered token stays valid only while the key set that verified the token is current. */
interface VerifiedToken {
  readonly caller: Caller;
  readonly keys: LocalJWKSet;
  readonly validFrom: number;
  readonly expires: number;
}

export function createTokenVerifier(options: TokenVerifierOptions) {
  const { issuer, audience, now = Date.now } = options;
  const { providerNow = now } = options;
  const claimRules = {
    names: {
      subject: options.subjectClaim ?? 'sub',
      role: options.roleClaim,
      clientAccess: options.clientAccessClaim,
    },
    emailsVerified: options.emailsVerified ?? false,
  };
  const { log, onFetched, onIssued, isAudienceClientId = false } = options;
  const keySet = createKeySet({ findUrl: createKeySetUrlFinder(options), log, now, onFetched });
  const remembered = new LRUCache<string, VerifiedToken>({
    max: MAX_CACHED_TOKENS,
    maxSize: TOKEN_CACHE_BYTES,
    sizeCalculation: ({ caller }) => 1024 + 64 * caller.clientAccess.length,
  });

  async function checkToken(token: string, keys: LocalJWKSet): Promise<VerifiedToken> {
    const { payload } = await verifySignature(token, keys, {
      algorithms: [...SIGNATURE_ALGORITHMS],
      issuer,
      ...(!isAudienceClientId && { audience }),
      requiredClaims: ['exp', 'iat'],
      clockTolerance: TOKEN_CLOCK_TOLERANCE_S,
      currentDate: new Date(providerNow()),
    });
    if (isAudienceClientId) checkAudienceOrClientId(payload, audience);
    onIssued?.(payload.iat ?? NaN);
    return {
      caller: createCallerFromClaims(payload, issuer, claimRules),
      keys,
      ...readTokenValidity(payload, providerNow()),
    };
  }

  async function checkWithFreshKeys(token: string, current: LocalJWKSet): Promise<VerifiedToken> {
    try {
      return await checkToken(token, current);
    } catch (error) {
      const refetched = isKeyMismatch(error) ? await keySet.searchNewKeys(current) : current;
      if (refetched === current) throw error;
      return checkToken(token, refetched);
    }
  }

  function findVerified(token: string): Caller | undefined {
    const known = remembered.get(digestToken(token));
    if (known === undefined || known.keys !== keySet.freshKeys()) return undefined;
    return isValidAt(known, providerNow()) ? known.caller : undefined;
  }

  /** @throws RequestError ERROR_UNAUTHORIZED, or ERROR_UNAVAILABLE when no key was ever obtained */
  async function verify(token: string): Promise<Caller> {
    if (token.length > MAX_TOKEN_CHARACTERS)
      throw createBadTokenError(`the token is longer than ${MAX_TOKEN_CHARACTERS} characters`);
    const digest = digestToken(token);
    const known = remembered.get(digest);
    if (known === undefined) checkTokenHeader(token);
    const current = await keySet.current();
    if (known?.keys === current && isValidAt(known, providerNow())) return known.caller;
    const verified = await checkWithFreshKeys(token, current).catch((error: unknown) => {
      throw error instanceof RequestError ? error : createBadTokenError(describeVerificationFailure(error));
    });
    remembered.set(digest, verified);
    return verified.caller;
  }

  /** Returns how many ms a verified token is still valid; 0 if the token is not remembered. */
  function remainingMs(token: string): number {
    const { expires = 0 } = remembered.get(digestToken(token)) ?? {};
    return Math.max((expires + TOKEN_CLOCK_TOLERANCE_S) * 1_000 - providerNow(), 0);
  }

  return { findVerified, verify, remainingMs, keys: () => keySet.figures() };
}

function digestToken(token: string): string {
  return hash('sha256', token, 'base64');
}

/** Accepts the audience in `aud`, or in `client_id` of an access token without `aud`. Cognito's id tokens have an `aud`. */
function checkAudienceOrClientId({ aud, client_id: clientId, token_use: use }: JWTPayload, audience: string): void {
  if (use !== 'access' && (aud === undefined || use !== undefined))
    throw createBadTokenError('the token\'s "token_use" claim is not "access"');
  if (aud === undefined ? clientId !== audience : ![aud].flat().includes(audience))
    throw createBadTokenError(`the token's "${aud === undefined ? 'client_id' : 'aud'}" claim is not accepted`);
}

/** Refuses an `iat` in the future and an infinite `exp`, which jose accepts. */
function readTokenValidity(
  { iat = NaN, nbf = iat, exp = NaN }: JWTPayload,
  now: number,
): Pick<VerifiedToken, 'validFrom' | 'expires'> {
  if (!Number.isFinite(exp)) throw createBadTokenError('the token\'s "exp" claim is not accepted');
  if (!(iat >= 0 && iat <= now / 1000 + TOKEN_CLOCK_TOLERANCE_S))
    throw createBadTokenError('the token\'s "iat" claim is not accepted');
  return { validFrom: Math.max(iat, nbf), expires: exp };
}

function isValidAt({ validFrom, expires }: VerifiedToken, now: number): boolean {
  const nowSeconds = Math.floor(now / 1000);
  return validFrom <= nowSeconds + TOKEN_CLOCK_TOLERANCE_S && expires > nowSeconds - TOKEN_CLOCK_TOLERANCE_S;
}
