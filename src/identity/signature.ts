import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTVerifyOptions, JWTVerifyResult, LocalJWKSet } from 'jose';
import { createBadTokenError } from './claims.ts';
import { MAX_TOKEN_HEADER_CHARACTERS } from '../limits.ts';

/** The accepted signature algorithms, all with public keys; the service accepts no others that jose may support. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TOKEN_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

export function checkTokenHeader(token: string): void {
  const { alg, typ } = decodeTokenHeader(token);
  if (typeof alg !== 'string' || !SIGNATURE_ALGORITHMS.includes(alg)) {
    throw createBadTokenError('the token is not signed with an accepted algorithm');
  }
  // The token type may have any letter case and may omit `application/` (RFC 7515, 4.1.9).
  const tokenType = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  if (!TOKEN_TYPES.includes(tokenType)) throw createBadTokenError('the token is of another type than an access token');
  if (!token.split('.').every(isBase64url)) throw createBadTokenError('the token is not written in base64url');
}

/** True for canonical base64url, so that each token has only one spelling (RFC 7515, 2; RFC 4648, 3.5). */
function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

/** Tries every suitable key if the token's header has no key id. @throws jose's errors */
export async function verifySignature(
  token: string,
  keys: LocalJWKSet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(rethrowUnlessKeyMismatch);
      if (verified !== undefined) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

export function isKeyMismatch(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
}

export function describeVerificationFailure(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `the token's "${error.claim}" claim is ${error.reason === 'missing' ? 'missing' : 'not accepted'}`;
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'the token is signed with a key that the provider does not publish';
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the token's signature is wrong";
  return error instanceof errors.JOSEError ? `the token is malformed (${error.code})` : 'the token cannot be verified';
}

function decodeTokenHeader(token: string): { readonly alg?: unknown; readonly typ?: unknown } {
  const [header = '', ...others] = token.split('.', 4);
  try {
    if (header.length > MAX_TOKEN_HEADER_CHARACTERS || others.length !== 2) throw new errors.JWSInvalid();
    return decodeProtectedHeader(token);
  } catch {
    throw createBadTokenError('the token is not a signed JSON Web Token');
  }
}

function rethrowUnlessKeyMismatch(error: unknown): undefined {
  if (error instanceof errors.JOSEError && !isKeyMismatch(error)) throw error;
  return undefined;
}
