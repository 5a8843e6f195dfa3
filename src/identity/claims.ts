import { hash } from 'node:crypto';
import { RequestError } from '../errors.ts';
import { ANONYMOUS_NAME, ROLES, type Caller, type Role } from './caller.ts';
import { MAX_TOKEN_CLAIM_CHARACTERS } from '../limits.ts';
import { isEmail } from './email.ts';
import { isValidSubject, isUuid, createSubjectUuid } from './subject.ts';

type TokenClaims = Readonly<Record<string, unknown>>;

/**
 * The names of the token claims that the service reads by a configured name. Some identity providers require a URL as
 * name; others nest claims, whose name is then a path with dots.
 */
export interface ClaimNames {
  readonly subject: string;
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
  const subject = readTextClaim(claims, names.subject);
  const refuseSubject = (reason: string) => createBadTokenError(`the "${names.subject}" claim ${reason}`);
  if (subject === undefined) throw refuseSubject('is not a text of 1 to 255 characters');
  if (subject === ANONYMOUS_NAME) throw refuseSubject('is the word for whoever has no token');
  if (!isValidSubject(subject)) throw refuseSubject('is no plain text in ASCII, or a UUID with capitals');
  const role = parseRoleClaim(readClaim(claims, names.role), names.role);
  const clientAccess = parseAccessClaim(readClaim(claims, names.clientAccess), names.clientAccess);
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

/** Reads one of the four roles, or a list that has one of them beside the provider's own roles and groups. */
function parseRoleClaim(claim: unknown, name: string): Role {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const [role, another] = ROLES.filter((known) => values.includes(known));
  if (claim === undefined) throw createBadTokenError(`the token has no "${name}" claim, which AUTH_ROLE_CLAIM names`);
  if (role === undefined) throw createBadTokenError(`the "${name}" claim has none of the four roles`);
  if (another !== undefined) throw createBadTokenError(`the "${name}" claim has more than one of the four roles`);
  return role;
}

function parseAccessClaim(claim: unknown, name: string): readonly string[] {
  if (claim === undefined)
    throw createBadTokenError(`the token has no "${name}" claim, which AUTH_CLIENT_ACCESS_CLAIM names`);
  const refuse = (reason: string) => createBadTokenError(`the "${name}" claim ${reason}`);
  const list = typeof claim === 'string' ? parseListText(claim, refuse) : claim;
  if (!Array.isArray(list)) throw refuse('is neither an array nor a text');
  const ids = list.map((id: unknown) => {
    if (typeof id !== 'string' || !isUuid(id)) throw refuse('has something that is no UUID');
    return id.toLowerCase();
  });
  return [...new Set(ids)].sort();
}

/** Reads a list that a provider sends as text: a JSON array, or values with commas between them. */
function parseListText(text: string, refuse: (reason: string) => RequestError): unknown {
  if (text.trim() === '') throw refuse('is an empty text: no client is []');
  if (!text.trimStart().startsWith('[')) return text.split(',').map((value) => value.trim());
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('is a text that is no JSON array');
  }
}

/** The service uses only verified emails, because it also finds the user of a login by email. */
function isEmailVerified(claims: TokenClaims, emailsVerified: boolean): boolean {
  const claim = readClaim(claims, 'email_verified');
  return claim === true || claim === 'true' || (claim === undefined && emailsVerified);
}

function readTextClaim(claims: TokenClaims, name: string): string | undefined {
  const value = readClaim(claims, name);
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_TOKEN_CLAIM_CHARACTERS) return undefined;
  return value.includes('\0') || !value.isWellFormed() ? undefined : value;
}

/** Reads the claim with this name; if there is none, the name is a path with dots to a claim within claims. */
function readClaim(claims: TokenClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>(readMember, claims);
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as TokenClaims)[name]
    : undefined;
}
