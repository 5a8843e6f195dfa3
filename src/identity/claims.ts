import { hash } from 'node:crypto';
import { RequestError } from '../errors.ts';
import { ANONYMOUS_NAME, ROLES, type Caller, type Role } from './caller.ts';
import { MAX_TOKEN_CLAIM_CHARACTERS } from '../limits.ts';
import { isEmail } from './email.ts';
import { isValidSubject, isUuid, createSubjectUuid } from './subject.ts';

type TokenClaims = Readonly<Record<string, unknown>>;

/** The names of the two custom token claims; some identity providers require a URL as name. */
export interface ClaimNames {
  readonly role: string;
  readonly clientAccess: string;
}

/** `reason` goes to the log and the audit record, so it must not contain a part of the token. */
export function createBadTokenError(reason: string): RequestError {
  return new RequestError('ERROR_UNAUTHORIZED', reason, { kind: 'bad_token' });
}

/** @throws RequestError ERROR_UNAUTHORIZED for a token claim that is missing or malformed */
export function createCallerFromClaims(
  claims: TokenClaims,
  issuer: string,
  { names, emailsVerified }: { readonly names: ClaimNames; readonly emailsVerified: boolean },
): Caller {
  const subject = readTextClaim(claims, 'sub');
  if (subject === undefined) throw createBadTokenError('the "sub" claim is not a text of 1 to 255 characters');
  if (subject === ANONYMOUS_NAME) throw createBadTokenError('the "sub" claim is the word for whoever has no token');
  if (!isValidSubject(subject))
    throw createBadTokenError('the "sub" claim is no plain text in ASCII, or a UUID with capitals');
  const role = parseRoleClaim(readClaim(claims, names.role));
  const clientAccess = parseAccessClaim(readClaim(claims, names.clientAccess));
  return {
    subject,
    userId: isUuid(subject) ? subject : createSubjectUuid(issuer, subject),
    role,
    clientAccess,
    accessDigest: hash('md5', `${role}:${clientAccess.join(',')}`),
    issuedAt: Math.floor(Number(claims['iat'])),
    email: isEmailVerified(claims, emailsVerified) ? readEmailClaim(claims) : undefined,
    name: readTextClaim(claims, 'name'),
  };
}

/** Accepts only emails that `POST /api/users` accepts. */
function readEmailClaim(claims: TokenClaims): string | undefined {
  const email = readTextClaim(claims, 'email');
  return email !== undefined && isEmail(email) ? email : undefined;
}

function parseRoleClaim(claim: unknown): Role {
  const role = ROLES.find((known) => known === claim);
  if (role === undefined) throw createBadTokenError('the role claim is missing or not one of the four roles');
  return role;
}

function parseAccessClaim(claim: unknown): readonly string[] {
  if (!Array.isArray(claim)) throw createBadTokenError('the client access claim is missing or not an array');
  const ids = claim.map((id: unknown) => {
    if (typeof id !== 'string' || !isUuid(id))
      throw createBadTokenError('the client access claim holds something that is no UUID');
    return id.toLowerCase();
  });
  return [...new Set(ids)].sort();
}

/** The service uses only verified emails, because it also finds the user of a login by email. */
function isEmailVerified(claims: TokenClaims, emailsVerified: boolean): boolean {
  const claim = readClaim(claims, 'email_verified');
  return claim === true || (claim === undefined && emailsVerified);
}

function readTextClaim(claims: TokenClaims, name: string): string | undefined {
  const value = readClaim(claims, name);
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_TOKEN_CLAIM_CHARACTERS) return undefined;
  return value.includes('\0') || !value.isWellFormed() ? undefined : value;
}

function readClaim(claims: TokenClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
