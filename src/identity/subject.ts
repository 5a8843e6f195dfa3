import { createHash } from 'node:crypto';
import { MAX_TOKEN_CLAIM_CHARACTERS } from '../limits.ts';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const URL_NAMESPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';

export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

export function createSubjectUuid(issuer: string, subject: string): string {
  return createNameUuid(createNameUuid(URL_NAMESPACE, issuer), subject);
}

function createNameUuid(namespace: string, name: string): string {
  const hash = createHash('sha1').update(Buffer.from(namespace.replaceAll('-', ''), 'hex'));
  const bytes = hash.update(name, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A subject is printable ASCII (OpenID Connect Core, 2) without blanks at either end. */
const SUBJECT_PATTERN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * True for a valid subject. A UUID must be in lower case, so that each subject has only one spelling. The database
 * checks subjects by the same rule, in the constraint `users_subject_form`.
 */
export function isValidSubject(text: string): boolean {
  return (
    text.length <= MAX_TOKEN_CLAIM_CHARACTERS &&
    SUBJECT_PATTERN.test(text) &&
    // In a path of the provider's management API these two would name the list of users.
    !['.', '..'].includes(text) &&
    !(isUuid(text) && text !== text.toLowerCase())
  );
}
