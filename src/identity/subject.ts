import { CLAIM_CHARACTERS } from '../limits.ts';
import { isUuid } from './uuid.ts';

/** ASCII, as OpenID Connect Core, 2, has it, without control characters and blanks at its ends: what looks alike is alike. */
const FORM = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Whether a text may be a subject: it has one spelling. Subjects differ by letter case, UUIDs do not: two of them would be
 * one user's id, and so they are in lower case. `users_subject_form` says the same in the database.
 */
export function isSubject(text: string): boolean {
  return text.length <= CLAIM_CHARACTERS && FORM.test(text) && !(isUuid(text) && text !== text.toLowerCase());
}
