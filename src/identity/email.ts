import { z } from 'zod';

const ERASED_EMAIL_PATTERN = /@erased\.invalid$/i;

/**
 * True for an email that the service stores, in ASCII only. The service compares emails without letter case, and systems
 * disagree on the case of other letters. Addresses at erased.invalid belong to erased users.
 */
export function isEmail(text: string): boolean {
  return z.email().safeParse(text).success && !ERASED_EMAIL_PATTERN.test(text);
}
